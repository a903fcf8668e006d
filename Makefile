# atid: AT Protocol identifiers and RFC 9562 UUIDs for PostgreSQL.
#
#	make && make install		build, and install into the server of PG_CONFIG
#	make installcheck			run the tests against a running server
#	make unit					run the tests that need no server
#	make dist					the PGXN bundle
#
# script/test does all of that and more on a throw-away server.

# META.json is the one source of the version; the extension's own version
# leaves the patch level out, so that a patch release needs no upgrade script.
DISTVERSION := $(shell sed -n '/"version"/{s/.*"\([0-9.]*\)".*/\1/p;q;}' META.json)

EXTENSION = atid
MODULE_big = atid
# the first release's script, frozen, and a script for each step from there
DATA = \
	atid--1.0.sql \
	atid--1.0--1.1.sql

# pure code, which builds without a server
PURE = \
	codec/base32 \
	codec/dagcbor \
	codec/multiformat \
	codec/syntax \
	generator/clock

# the floors below the rooms, which need a server
FLOORS = \
	generator/generator \
	generator/horizon \
	generator/random \
	jsonb/decode \
	jsonb/encode \
	jsonb/inspect \
	jsonb/model \
	jsonb/walk

# a room for each section of the install script
ROOMS = \
	tid \
	rkey \
	uuid \
	cid \
	record \
	reference

OBJS = atid.o $(PURE:%=src/%.o) $(FLOORS:%=src/%.o) $(ROOMS:%=src/%.o)

REGRESS_OPTS = --load-extension=atid
REGRESS = \
	tid \
	rkey \
	uuid \
	cid \
	record \
	reference \
	generator \
	surface \
	softerr
TAP_TESTS = 1

UNIT = $(patsubst t/unit/%.c,t/unit/bin/%,$(wildcard t/unit/*.c))

PG_CPPFLAGS = -I$(srcdir)/src -DATID_VERSION='"$(DISTVERSION)"'

# PGXS does not track headers: let the compiler write down what each object
# includes, and make the bitcode again whenever the object is made.
PG_CFLAGS = -MMD -MP
DEPS = $(OBJS:.o=.d)

EXTRA_CLEAN = $(DEPS) t/unit/bin $(EXTENSION)-*.zip

PG_CONFIG = pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

-include $(DEPS)

# it tells the version
atid.o: META.json

$(OBJS:.o=.bc): %.bc: %.o

unit: $(UNIT)
	$(PROVE) --exec '' $(UNIT)

t/unit/bin/%: t/unit/%.c $(PURE:%=src/%.c) $(wildcard src/*/*.h)
	@mkdir -p $(@D)
	$(CC) -std=c99 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined \
		-fno-sanitize-recover=all -Isrc -o $@ $< $(PURE:%=src/%.c)

dist:
	git archive --format zip --prefix=$(EXTENSION)-$(DISTVERSION)/ \
		-o $(EXTENSION)-$(DISTVERSION).zip HEAD

.PHONY: unit dist
