# ActiveRecord, as Rails uses it: a migration with the recipe of doc/clients.md, and what schema.rb makes of it.
require 'active_record'
require 'stringio'

Schema = ActiveRecord::Schema
Base = ActiveRecord::Base
Base.establish_connection(adapter: 'postgresql', host: ENV['PGHOST'], port: ENV['PGPORT'], database: ENV['PGDATABASE'])
ActiveRecord::Migration.verbose = false

# A model for each look at the table.
def post = Class.new(Base) { self.table_name = 'posts' }

def dump
  ActiveRecord::SchemaDumper.dump(Base.connection, out = StringIO.new)
  out.string
end

def check(what, good, why = '')
  raise "#{what}: #{why}" unless good
end

def look
  posts = Array.new(3) { post.create!(body: 'x') }
  check('keys rise', posts.map(&:id) == posts.map(&:id).sort && posts.map(&:id).uniq.size == 3)
  check('of version 7', posts.all? { |one| one.id[14] == '7' }, posts[0].id)
  check('found', post.find(posts[1].id).id == posts[1].id)
end

recipe = File.read('migration.rb')
Schema.define { eval recipe }
look
first = dump
check('schema.rb has the extension', first.include?('enable_extension "atid"'), first)
check('schema.rb has the default', first.include?('default: -> { "atid.uuid_generate_v7()" }'), first)
Base.connection.execute('DROP TABLE posts; DROP EXTENSION atid CASCADE')
eval first
check('schema.rb makes the same', dump == first, dump)
look

column = File.read('column.rb')
Schema.define { change_table(:posts) { |t| eval column } }
rev = post.create!.reload.rev
check('a TID', rev.is_a?(String) && rev.size == 13, rev.inspect)
check('found by it', post.where(rev: rev).count == 1)
check('in order', post.order(:rev).pluck(:rev) == post.pluck(:rev).sort)
check('schema.rb leaves the table out', dump.include?("Unknown type 'atid.tid'"), dump)
puts 'ok'
