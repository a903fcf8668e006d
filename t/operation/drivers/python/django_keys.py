"""Django: the fields and the model of doc/clients.md (keys.py, from the test) in migrations that Django writes."""
import os

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connection

settings.configure(
    INSTALLED_APPS=['keys'], USE_TZ=True, DEFAULT_AUTO_FIELD='django.db.models.AutoField',
    DATABASES={'default': {'ENGINE': 'django.db.backends.postgresql', 'NAME': os.environ['PGDATABASE'],
                           'HOST': os.environ['PGHOST'], 'PORT': os.environ['PGPORT'], 'USER': os.environ['PGUSER']}})
os.makedirs('keys/migrations', exist_ok=True)
for name in 'keys/__init__.py', 'keys/migrations/__init__.py':
    open(name, 'w').close()
with open('keys/migrations/0001_extension.py', 'w') as file:
    file.write('''from django.contrib.postgres.operations import CreateExtension
from django.db import migrations


class Migration(migrations.Migration):
    operations = [CreateExtension('atid')]
''')
os.rename('recipe.py', 'keys/models.py')
django.setup()
from keys.models import Post

call_command('makemigrations', 'keys', verbosity=0)
call_command('migrate', verbosity=0)
call_command('makemigrations', 'keys', check=True, dry_run=True, verbosity=0)  # ends the program if there is anything
posts = [Post.objects.create() for _ in range(3)]
assert all(post.id.version == 7 and len(post.rev) == 13 for post in posts), posts
assert [post.pk for post in posts] == sorted(post.pk for post in posts)
assert list(Post.objects.order_by('rev')) == posts
assert Post.objects.get(pk=posts[1].pk).rev == posts[1].rev
posts[0].save()
assert Post.objects.count() == 3
Post.objects.bulk_create([Post(), Post()])
assert Post.objects.count() == 5
with connection.cursor() as cursor:
    cursor.execute("SELECT string_agg(format_type(atttypid, -1), ' ' ORDER BY attnum) FROM pg_attribute "
                   "WHERE attrelid = 'keys_post'::regclass AND attnum > 0")
    assert cursor.fetchone() == ('uuid atid.tid',)
print('ok')
