# shellcheck shell=bash
# Shared by the scripts here, .ci/run and bench/: a PostgreSQL server of their own, on a fresh Debian or Ubuntu as well
# as on a used machine. The system's own servers are left alone: no cluster, no configuration, and no file under /usr
# changes except those that apt-get installs. At exit, whatever happens, all started processes are stopped and the
# folder is removed (unless ATID_KEEP=1). In the order of use:
#
#   atid_options 'NAME= NAME' "$@"     reads options       sets option[NAME] and words; --help prints the script's head
#   atid_on_pg SCRIPT "$@"             for --pg N: continues in a Debian that has PostgreSQL N, if this one does not
#   atid_bootstrap NAME [package...]   installs what is missing, makes a folder    sets WORK, SRC, PG_MAJOR, PG_BIN
#   atid_prefix                        private copy of the server                  sets PREFIX, PREFIX_BIN
#   atid_build [make argument...]      builds SRC, a copy of the project, into that server, without
#                                      bitcode for JIT, which no test uses and which would take a third of the time
#   atid_server_start [conf line...]   a throw-away server                         sets PGHOST, PGPORT, PGUSER
#   as_user COMMAND...                 runs as the unprivileged user, RUN_AS
#   atid_job COMMAND...                runs a long command so that Ctrl-C ends all of it at once
#   atid_sum_counts                    adds up lines `N passed, N failed, N skipped`; fails if one failed or none passed
set -euo pipefail

ATID_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
ATID_EXTENSIONS=(. crypto)
ATID_BUILD_PACKAGES=(make gcc libc6-dev libsecp256k1-dev libssl-dev pkg-config)
# shellcheck disable=SC2034  # for script/test and script/in-root
ATID_TEST_PACKAGES=(libipc-run-perl faketime binutils shellcheck zip unzip)
# The names allowed at the top of the project, and the files of the library and its SQL, and of the indexer; also for
# t/project/style.pl.
ATID_TOP='\.ci|\.editorconfig|\.git(attributes|ignore)|\.shellcheckrc|[A-Z]+\.md|LICENSE|META\.json|Makefile'
ATID_TOP+='|atid(\.c|\.control|--[0-9.-]+\.sql)|bench|crypto|demo|doc|examples|expected|fuzz|indexer|packaging|script|sql|src|t'
# shellcheck disable=SC2034  # for script/release
ATID_LIBRARY='^(crypto/)?(atid\w*(\.c|\.control|--.*\.sql)|src/.*\.[ch])$'
# shellcheck disable=SC2034
ATID_INDEXER='^indexer/(sql|src)/.*\.(js|sql)$'
WORK=
ATID_JOB=

# A caller's connection settings or make flags must not leak into throw-away servers and builds.
for name in "${!PG@}"; do [[ $name == PG_* ]] || unset "$name"; done
unset name MAKEFLAGS MFLAGS MAKELEVEL DESTDIR CDPATH

atid_say() { printf '==> %s\n' "$*"; }

atid_die() { printf '%s: %s\n' "${0##*/}" "$*" >&2 && exit 1; }

declare -A option=()
words=()

atid_options() {
	local known=" $1 " name
	shift
	while (($#)); do
		[[ $1 != --*=* ]] || set -- "${1%%=*}" "${1#*=}" "${@:2}"
		name=${1#--}
		if [[ $1 == -h || $1 == --help ]]; then
			sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "$0" && exit
		elif [[ $1 != -* ]]; then
			words+=("$1")
		elif [[ $known == *" $name "* ]]; then
			option[$name]=1
		else
			[[ $known == *" $name= "* ]] || atid_die "unrecognized option: $1 (see --help)"
			(($# > 1)) || atid_die "option $1 requires a value (see --help)"
			option[$name]=$2 && shift
		fi
		shift
	done
	[[ ${option[pg]-} =~ ^[0-9]*$ ]] || atid_die '--pg must be a major version, such as 17'
	[[ -z ${option[keep]-} ]] || export ATID_KEEP=1
}

# A version that this machine neither has nor would install runs in a root of its own, where ATID_PG is set.
atid_on_pg() {
	local pg=${option[pg]-}
	[[ -n $pg && $pg != "${ATID_PG-}" ]] || return 0
	if ! atid_installed "postgresql-$pg" || ! atid_installed "postgresql-server-dev-$pg"; then
		ATID_PG='' atid_choose_major
		[[ $pg == "$PG_MAJOR" ]] || exec "$ATID_ROOT/script/in-root" "$pg" -- "$@"
	fi
	export ATID_PG=$pg
}

trap 'exit 130' HUP INT TERM
atid_cleanup() {
	trap '' HUP INT TERM
	trap - EXIT
	set +e
	[[ -z $ATID_JOB ]] || atid_end_job
	# a server that a dying test left behind is in no job's group
	find "$WORK" -name postmaster.pid -printf '%h\n' | while read -r data; do
		as_user pg_ctl -D "$data" -m immediate -s stop
	done
	if [[ -n ${ATID_KEEP-} ]]; then atid_say "kept: $WORK" >&2; else rm -rf --one-file-system -- "$WORK"; fi
	exit "$1"
}

# Ends the process group of a job. If it contains a script of ours, that needs time to clean up.
atid_end_job() {
	local signal
	for signal in INT TERM KILL; do
		kill -s "$signal" -- "-$ATID_JOB" 2>/dev/null || return 0
		timeout 15 sh -c 'while kill -0 -- "-$0"; do sleep 0.1; done' "$ATID_JOB" 2>/dev/null && return
	done
}

atid_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# clang, or the newest clang-NN.
atid_clang() {
	# not "compgen | grep -m 1 || ...": if grep ends first, compgen fails, and both results are printed
	if type -P clang >/dev/null; then echo clang; else compgen -c | grep -E '^clang-[0-9]+$' | sort -V | tail -n 1 | grep .; fi
}

# The dependencies of the distribution's own package `postgresql`; empty while apt has no lists.
atid_default_major() {
	{ apt-cache depends postgresql 2>/dev/null || true; } | sed -n 's/^ *Depends: postgresql-\([0-9]\{1,\}\)$/\1/p'
}

# Runs a command as root. It does not prompt, and its output is shown only if it fails. A fresh machine updates itself
# at its first boot: while another process holds one of apt's locks, this waits, up to 15 minutes. (DPkg::Lock::Timeout
# would not do: apt-get ignores it for the locks of the lists and of the archives.)
atid_as_root() {
	local log status until=$((SECONDS + 900)) said=
	local -a command=(env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 LC_ALL=C.UTF-8 "$@")
	((EUID == 0)) || command=(sudo "${command[@]}")
	type "${command[0]}" >/dev/null || atid_die 'packages are missing, and sudo was not found: run this as root'
	log=$(mktemp)
	exec 8<>"$log" && rm "$log"
	while :; do
		status=0
		"${command[@]}" </dev/null >/proc/self/fd/8 2>&1 || status=$?
		((status && SECONDS < until)) || break
		grep -qE 'Could not get lock|lock was locked by another' /proc/self/fd/8 || break
		[[ -n $said ]] || atid_say "waiting for apt's lock$(grep -m 1 -oE ' held by process .*' /proc/self/fd/8 || true)"
		said=1
		sleep 3
	done
	((!status)) || tail -n 20 /proc/self/fd/8 >&2
	return "$status"
}

# One unreachable third-party source must not stop us: the installation will show whether it matters.
atid_apt_update() {
	[[ -z ${ATID_UPDATED-} ]] || return 0
	ATID_UPDATED=1 && atid_say 'apt-get update'
	atid_as_root apt-get -q update || true
}

# Sets PG_MAJOR to the version that this machine is to use, PG_BIN and PG_PACKAGES: the server of ATID_PG_CONFIG, which
# needs no installation; otherwise Debian's server of version ATID_PG, or of the distribution's own version.
atid_choose_major() {
	if [[ -n ${ATID_PG_CONFIG-} ]]; then
		PG_BIN=$("$ATID_PG_CONFIG" --bindir) PG_PACKAGES=()
		PG_MAJOR=$("$ATID_PG_CONFIG" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
	else
		PG_MAJOR=${ATID_PG:-$(atid_default_major)}
		[[ -n $PG_MAJOR ]] || { atid_apt_update && PG_MAJOR=$(atid_default_major); }
		PG_BIN=/usr/lib/postgresql/$PG_MAJOR/bin
		PG_PACKAGES=("postgresql-$PG_MAJOR" "postgresql-server-dev-$PG_MAJOR")
	fi
	[[ $PG_MAJOR =~ ^(1[5-9]|[2-9][0-9])$ ]] || atid_die "PostgreSQL 15 or later is required, and ${PG_MAJOR:+this is }${PG_MAJOR:-none was found}"
}

# Installs the missing packages.
atid_install() {
	local package missing=()
	for package in "$@"; do atid_installed "$package" || missing+=("$package"); done
	((${#missing[@]})) || return 0
	atid_apt_update
	atid_say "downloading ${missing[*]}"
	atid_as_root apt-get -qy --no-install-recommends --download-only install "${missing[@]}" || return
	atid_say "installing ${missing[*]} (Ctrl-C takes effect afterwards)"
	# In a session of its own, out of Ctrl-C's reach: if interrupted, it would leave broken packages. A new server
	# package creates and starts a cluster `main`, unless this file exists meanwhile.
	atid_as_root setsid --wait sh -c 'mkdir -p "${0%/*}" && echo "create_main_cluster = false" >"$0"
		apt-get -qy --no-install-recommends install "$@"; status=$?
		rm "$0"; rmdir --ignore-fail-on-non-empty "${0%/*}"; exit "$status"' \
		/etc/postgresql-common/createcluster.d/zz-atid.conf "${missing[@]}"
}

atid_bootstrap() {
	type apt-get >/dev/null || atid_die 'apt-get was not found: Debian or Ubuntu is required'
	atid_choose_major
	atid_install "${PG_PACKAGES[@]}" "${ATID_BUILD_PACKAGES[@]}" "${@:2}" || atid_die 'apt-get could not install the packages'
	atid_workdir "$1"
}

atid_workdir() {
	local parent=${TMPDIR:-/tmp}
	trap 'atid_cleanup $?' EXIT
	atid_user
	# The path of a socket must be shorter than 100 bytes, and the unprivileged user must have access.
	[[ ${#parent} -le 30 && -k $parent ]] || parent=/tmp
	WORK=$(mktemp -d "$(cd "$parent" && pwd -P)/atid-$1.XXXXXX")
	SRC=$WORK/src
	chmod 755 "$WORK"
	mkdir "$WORK/home"
	mkdir -m 1777 "$WORK/tmp"
	((EUID != 0)) || chown -R "$RUN_AS:" "$WORK"
}

# PostgreSQL refuses to run as root.
atid_user() {
	RUN_AS=$(id -un)
	((EUID != 0)) || RUN_AS=$(id -un postgres 2>/dev/null || echo nobody)
}

as_user() {
	local switch=()
	((EUID != 0)) || switch=(setpriv --reuid "$RUN_AS" --regid "$(id -g "$RUN_AS")" --init-groups)
	"${switch[@]}" env -C "$WORK" USER="$RUN_AS" LOGNAME="$RUN_AS" HOME="$WORK/home" TMPDIR="$WORK/tmp" \
		PATH="${PREFIX_BIN:-${PG_BIN:-/usr/bin}}:$PATH" "$@"
}

# Bash answers a signal only after its foreground command has ended, but at once while it waits. A separate process
# group lets the trap end the whole tree.
atid_job() {
	local status=0
	set -m
	"$@" </dev/null &
	ATID_JOB=$!
	set +m
	wait "$ATID_JOB" || status=$?
	atid_end_job
	ATID_JOB=
	return "$status"
}

# PostgreSQL finds its libraries and its share folder relative to its own executable: real copies of the executables and
# links to everything else make a server of our own, into which `make install` can write.
atid_prefix() {
	local name folder
	PREFIX=$WORK/pg PREFIX_BIN=$WORK/pg$PG_BIN
	for name in bindir pkglibdir sharedir includedir; do
		folder=$("$PG_BIN/pg_config" "--$name")
		as_user mkdir -p "$PREFIX${folder%/*}"
		as_user cp "-a$([[ $name == bindir ]] || echo s)" "$folder" "$PREFIX$folder"
		# nothing of an atid that is installed there: make install would write through the links
		find "$PREFIX$folder" -name 'atid*' -prune -exec rm -rf {} +
	done
	[[ $(as_user "$PREFIX_BIN/pg_config" --pkglibdir) == "$PREFIX"/* ]] ||
		atid_die "$PG_BIN/postgres does not find its files relative to its executable: set ATID_PG_CONFIG for another server"
}

# The files of the project: in a git checkout those that git tracks or would add, otherwise all.
atid_files() (
	cd "$ATID_ROOT" || exit
	git=(git -c safe.directory="$ATID_ROOT")
	if [[ $("${git[@]}" rev-parse --show-toplevel 2>/dev/null) == "$ATID_ROOT" ]]; then
		comm -z -23 <("${git[@]}" ls-files -co --exclude-standard -z | sort -zu) <("${git[@]}" ls-files -dz | sort -zu)
	else
		find . -type f -printf '%P\0'
	fi
)

# The version of the next release, or, in its bundle, of this one: of the extension, or of the named package.
atid_version() { sed -n '/"version"/{s/.*"\([0-9.]*\)".*/\1/p;q;}' "$ATID_ROOT/${1:-META.json}"; }

# The commit that is checked out here, and ", with changes" if the files differ from it; empty where git has none.
atid_commit() (
	cd "$ATID_ROOT" || exit
	git=(git -c safe.directory="$ATID_ROOT")
	commit=$("${git[@]}" rev-parse -q --verify HEAD 2>/dev/null) || exit 0
	printf '%s' "$commit" && [[ -z $("${git[@]}" status --porcelain) ]] || printf ', with changes'
)

# atid_ci_log [COMMIT]: where .ci/run keeps its output for a commit, by default this one
atid_ci_log() {
	local commit state=${XDG_STATE_HOME-}
	[[ -n $state ]] || state=~/.local/state
	commit=${1-$(atid_commit)}
	printf '%s' "$state/atid/ci-${commit%%,*}.log"
}

# Of names at the top, those that are not allowed there.
atid_strays() { grep -vxE "$ATID_TOP" || true; }

# Copies them, reading as the current user and writing as RUN_AS: the checkout may not be readable to the latter.
atid_copy_sources() {
	as_user mkdir -p "$1"
	atid_files | tar -C "$ATID_ROOT" --no-recursion --null -cf - -T - | as_user tar -C "$1" --no-same-owner -xf -
}

# atid_copy_fixtures VARIABLE NAME TARGET: copies public test files, if VARIABLE names their folder or it is next to the
# project, and sets VARIABLE to the copy.
atid_copy_fixtures() {
	local folder=${!1:-$ATID_ROOT/../shared/fixtures/$2}
	unset "$1"
	[[ -d $folder ]] || return 0
	cp -r "$folder" "$3" && chmod -R a+rX "$3"
	export "$1=$3"
}

atid_build() {
	local folder
	[[ -d $SRC ]] || atid_copy_sources "$SRC"
	for folder in "${ATID_EXTENSIONS[@]}"; do
		atid_make all -C "$folder" with_llvm=no "$@"
		atid_make install -C "$folder" with_llvm=no "$@"
	done
}

# Shows the log only if make fails.
atid_make() {
	as_user make -s -C "$SRC" -j "$(nproc)" PG_CONFIG="$PREFIX_BIN/pg_config" "$@" >"$WORK/build.log" 2>&1 ||
		{ tail -n 40 "$WORK/build.log" >&2 && atid_die "make $1 failed"; }
}

atid_server_start() {
	local data=$WORK/data
	as_user initdb -D "$data" -U postgres -E UTF8 --locale=C.UTF-8 --auth=trust --no-sync >"$WORK/initdb.log" 2>&1 ||
		{ cat "$WORK/initdb.log" >&2 && atid_die 'initdb failed'; }
	printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$WORK'" "port = 5432" "$@" |
		as_user tee -a "$data/postgresql.conf" >/dev/null
	export PGHOST=$WORK PGPORT=5432 PGUSER=postgres
	as_user pg_ctl -D "$data" -l "$WORK/server.log" -w -s start ||
		{ tail -n 20 "$WORK/server.log" >&2 && atid_die 'the server did not start'; }
}

atid_sum_counts() {
	awk '
		{ passed += $1; failed += $3; skipped += $5 }
		END {
			if (!passed) failed++
			printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
			exit failed > 0
		}'
}
