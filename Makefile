# atid: AT Protocol identifiers and RFC 9562 UUIDs for PostgreSQL.
#
#	make && make install		build, and install into the server of PG_CONFIG
#	make installcheck			run the tests against a running server
#	make unit					run the tests that need no server
#	make unit ARCH=s390x		the same on another machine: aarch64, s390x; or with musl
#	make crypto					build the extension of crypto/, which needs libraries of its own
#	make index					doc/README.md, from the chapters, t/README.md, from the heads of the tests, and the
#								map of the code in CONTRIBUTING.md, from src/layers.txt
#	make dist					the PGXN bundle
#
# script/test does all of that and more on a throw-away server.

comma = ,

# This folder, which is not the current one in a VPATH build.
HERE := $(dir $(firstword $(MAKEFILE_LIST)))
files = $(patsubst $(HERE)%,%,$(wildcard $(addprefix $(HERE),$(1))))

# META.json is the one source of the version; the extension's own version
# leaves the patch level out, so that a patch release needs no upgrade script.
DISTVERSION := $(shell sed -n '/"version"/{s/.*"\([0-9.]*\)".*/\1/p;q;}' $(HERE)META.json)

EXTENSION = atid
MODULE_big = atid
# all scripts: that of this version, which CREATE EXTENSION runs; the first one, and one for each step from there
DATA = $(call files,atid--*.sql)
DOCS = $(call files,doc/*.md doc/*.svg)

OBJS = $(patsubst %.c,%.o,atid.c $(call files,src/*.c src/*/*.c src/*/*/*.c))

# Pure code builds without a server. The last two are atid_crypto's.
PURE = $(patsubst %.c,%,$(call files,src/codec/*.c src/codec/*/*.c)) src/generator/clock
PURE_CRYPTO = crypto/src/base58 crypto/src/multikey

# A cluster's own encoding and locale may be any.
REGRESS_OPTS = --load-extension=atid --encoding=UTF8 --no-locale
REGRESS = \
	tid \
	rkey \
	uuid \
	cid \
	address \
	address_text \
	datetime \
	record \
	reference \
	block \
	symbol \
	lexicon \
	conforms \
	network \
	repository \
	event \
	generator \
	partitions \
	surface \
	softerr
TAP_TESTS = 1
PROVE_TESTS ?= $(shell cd $(srcdir) && script/test-files)

PG_CPPFLAGS = -I$(srcdir)/src -DATID_VERSION='"$(DISTVERSION)"'

# PGXS does not track headers: let the compiler write down what each object
# includes, and make the bitcode again whenever the object is made.
PG_CFLAGS = -MMD -MP

# Each session links the library when it first uses it. Our own symbols are found
# in it at once, and not in 40 other libraries before. (From 16 on the server hides
# them, to the same effect.) On macOS the linker does that by itself, and does not
# know the option.
SHLIB_LINK = $(if $(filter darwin,$(PORTNAME)),,-Wl,-Bsymbolic)

# With FAILING, allocations fail when a test asks for it: script/test --assert.
ifdef FAILING
OBJS += t/failing/failing.o
SHLIB_LINK += $(patsubst %,-Wl$(comma)--wrap=%,$(shell sed -nE 's/^WRAP[A-Z_]*.([a-zA-Z0-9_]+),.*/\1/p' $(HERE)t/failing/failing.c))
endif

DEPS = $(OBJS:.o=.d)

DIST = $(EXTENSION)-$(DISTVERSION)

EXTRA_CLEAN = $(DEPS) t/unit/bin fuzz/bin $(EXTENSION)-*.zip index.tmp

PG_CONFIG = pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# chapters have names that other extensions' may have too
docmoduledir := extension/$(EXTENSION)

-include $(DEPS)

# a build outside the source tree has no folders yet
$(shell mkdir -p $(dir $(OBJS)))

# it tells the version
atid.o: META.json

$(OBJS:.o=.bc): %.bc: %.o

# The unit tests need no server.  The pure code is compiled once more for them,
# with the sanitizers, and each is linked with all of it.  The harnesses of fuzz/
# likewise, by clang; fuzz/run runs them.
#
# Both have the assertions of the pure code (codec/assert.h).  script/coverage counts
# lines and branches without them.
#
# For another machine they are cross-compiled, and each program is a script that
# lets qemu run it.  The sanitizers are not to be had there.
CHECKED = -DATID_CHECK
UNIT_BIN = t/unit/bin$(ARCH:%=/%)
UNIT = $(patsubst %.c,$(UNIT_BIN)/%,$(notdir $(call files,t/unit/*.c)) $(PURE_CRYPTO:crypto/src/%=%.c))
UNIT_SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all
UNIT_CC_ = $(CC) $(UNIT_SANITIZE)
UNIT_CC_musl = musl-gcc -static
UNIT_CC = $(or $(UNIT_CC_$(ARCH)),$(ARCH)-linux-gnu-gcc -static)
UNIT_FLAGS = -std=c99 -g -O1 $(CHECKED) -Wall -Wextra -Werror -I$(srcdir)/src -I$(srcdir)/crypto/src -I$(srcdir)/t/unit
UNIT_OBJS = $(patsubst %,$(UNIT_BIN)/%.o,$(PURE) $(PURE_CRYPTO))
EMULATOR = $(patsubst %,qemu-%,$(filter-out musl,$(ARCH)))
HEADERS = $(wildcard $(addprefix $(srcdir)/,src/*/*.h src/*/*/*.h crypto/src/*.h t/unit/*.h))

unit: unit-programs
	$(PROVE) --exec '' $(UNIT)

unit-programs: $(UNIT)

vpath %.c $(srcdir)/t/unit $(srcdir)/crypto/unit

$(UNIT): $(UNIT_BIN)/%: %.c $(UNIT_OBJS)
	$(UNIT_CC) $(UNIT_FLAGS) -o $@ $(filter %.c %.o,$^)
	$(if $(EMULATOR),mv $@ $@.elf && printf '#!/bin/sh\nexec $(EMULATOR) "$$0.elf"\n' >$@ && chmod +x $@)

$(UNIT_OBJS): $(UNIT_BIN)/%.o: $(srcdir)/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(UNIT_CC) $(UNIT_FLAGS) -c -o $@ $<

FUZZ_FLAGS = -std=c99 -g -O1 $(CHECKED) -Wall -Wextra -Werror -fno-sanitize-recover=all \
	-I$(srcdir)/src -I$(srcdir)/crypto/src
FUZZ_CC = clang
FUZZ_SANITIZERS = address,undefined

fuzz/bin/%: $(srcdir)/fuzz/%.c $(wildcard $(srcdir)/fuzz/*.h) fuzz/bin/pure.a
	$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer$(FUZZ_SANITIZERS:%=$(comma)%) -o $@ $(filter %.c %.a,$^)

fuzz/bin/pure.a: $(patsubst %,fuzz/bin/%.o,$(PURE) $(PURE_CRYPTO))
	rm -f $@ && $(AR) crs $@ $^

fuzz/bin/%.o: $(srcdir)/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link$(FUZZ_SANITIZERS:%=$(comma)%) -c -o $@ $<

crypto:
	@mkdir -p $@
	$(MAKE) -C $@ -f $(abspath $(srcdir))/crypto/Makefile PG_CONFIG='$(PG_CONFIG)'

# PGXS removes what DOCS names only where that has no folder
uninstall: uninstall-chapters

uninstall-chapters:
	rm -f $(addprefix '$(DESTDIR)$(docdir)/$(docmoduledir)'/,$(notdir $(DOCS)))

index:
	$(srcdir)/script/index >index.tmp && mv index.tmp $(srcdir)/doc/README.md
	$(srcdir)/script/test-files --table >index.tmp && mv index.tmp $(srcdir)/t/README.md
	$(srcdir)/script/layers >index.tmp && mv index.tmp $(srcdir)/CONTRIBUTING.md

# Where git knows the tree, what is committed; elsewhere, as in an unpacked
# bundle, all but hidden files and what a build or script/package makes.
dist:
	cd $(srcdir) && if git ls-files --error-unmatch META.json >/dev/null 2>&1; then \
		git archive --format zip --prefix=$(DIST)/ -o $(CURDIR)/$(DIST).zip HEAD; \
	else \
		copy=$$(mktemp -d) && trap "rm -rf $$copy" EXIT && trap 'exit 1' HUP INT TERM && \
		mkdir $$copy/$(DIST) && tar --exclude='./.?*' --exclude=./packages -cf - . | tar -C $$copy/$(DIST) -xf - && \
		$(MAKE) -s -C $$copy/$(DIST) clean && $(MAKE) -s -C $$copy/$(DIST)/crypto clean && rm -f $(CURDIR)/$(DIST).zip && \
		cd $$copy && zip -qrX $(CURDIR)/$(DIST).zip $(DIST); \
	fi

.PHONY: unit unit-programs crypto index dist uninstall-chapters
