# shellcheck shell=bash
# Shared by the scripts here, .ci/run and bench/ (bash, `set -euo pipefail`).
#
# Gives them a PostgreSQL server of their own, on a fresh Debian or Ubuntu as on a used machine:
#
#   atid_bootstrap [package...]    install what is missing            sets PG_MAJOR, PG_BIN
#   atid_workdir NAME              temporary folder, removed at exit  sets WORK, SRC, RUN_AS
#   atid_prefix                    private copy of the server         sets PREFIX, PREFIX_BIN
#   atid_build [make argument...]  build SRC, a copy of the project, into that server
#   atid_server_start [conf line...]   a throw-away server            sets PGHOST, PGPORT, PGUSER
#   as_user COMMAND...             run as the unprivileged user
#   atid_job COMMAND...            run what takes long so that Ctrl-C ends all of it at once
#
# Nothing of the system's own servers is touched: no cluster, no configuration, no file under /usr
# but what apt-get installs. Whatever happens, the exit trap stops what was started and removes
# the folder (unless ATID_KEEP=1).

set -euo pipefail

ATID_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
ATID_OLDEST=15
# The folders that hold an extension, and what they need to be built besides the server's packages.
ATID_EXTENSIONS=(.)
ATID_BUILD_PACKAGES=(make gcc libc6-dev)
if [[ -e $ATID_ROOT/crypto/Makefile ]]; then
	ATID_EXTENSIONS+=(crypto)
	ATID_BUILD_PACKAGES+=(libsecp256k1-dev libssl-dev pkg-config)
fi
# What the tests need besides.
# shellcheck disable=SC2034  # for script/test and script/in-root
ATID_TEST_PACKAGES=(libipc-run-perl faketime binutils shellcheck zip unzip)
# And what script/test --full adds: clients in their languages, a pooler.
# shellcheck disable=SC2034
ATID_FULL_PACKAGES=(cargo golang-github-jackc-pgx-v4-dev golang-github-lib-pq-dev
	golang-go libdbd-pg-perl libpostgresql-jdbc-java librust-tokio-postgres-dev pgbouncer pgxnclient php-cli php-pgsql
	python3-alembic python3-asyncpg python3-psycopg python3-psycopg2 python3-sqlalchemy ruby-pg)

# A caller's connection settings or make flags must not leak into throw-away servers and builds.
for name in "${!PG@}"; do
	[[ $name == PG_* ]] || unset "$name"
done
unset name MAKEFLAGS MFLAGS MAKELEVEL DESTDIR CDPATH

atid_say() { printf '==> %s\n' "$*"; }

atid_die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# --- cleaning up -----------------------------------------------------------------------------

WORK=
ATID_UNDO=()       # commands run at exit, last first
ATID_JOB=          # process group of the running atid_job

atid_trap() {
	trap 'atid_cleanup $?' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

atid_cleanup() {
	local status=$1 i
	trap '' HUP INT TERM
	trap - EXIT
	set +e
	[[ -z $ATID_JOB ]] || atid_kill_group "$ATID_JOB"
	for ((i = ${#ATID_UNDO[@]} - 1; i >= 0; i--)); do
		eval "${ATID_UNDO[i]}"
	done
	if [[ -n $WORK ]]; then
		atid_stop_servers
		if [[ -n ${ATID_KEEP-} ]]; then
			atid_say "kept: $WORK" >&2
		else
			rm -rf --one-file-system -- "$WORK"
		fi
	fi
	exit "$status"
}

atid_kill_group() {
	local group=$1 signal
	for signal in INT TERM KILL; do
		kill -s "$signal" -- "-$group" 2>/dev/null || return 0
		for _ in {1..150}; do # a script of ours in there needs time to clean up
			kill -0 -- "-$group" 2>/dev/null || return 0
			sleep 0.1
		done
	done
}

# Processes whose executable lies in our own prefix can only be ours; a server that a dying test
# left behind is found this way too, in whatever process group it is.
atid_own_processes() {
	local proc exe
	for proc in /proc/[0-9]*; do
		exe=$(readlink "$proc/exe" 2>/dev/null) || continue
		[[ $exe != "$WORK"/pg/* ]] || printf '%s\n' "${proc#/proc/}"
	done
}

atid_stop_servers() {
	local signal pids
	for signal in INT QUIT KILL; do
		for _ in {1..50}; do
			mapfile -t pids < <(atid_own_processes)
			((${#pids[@]})) || return 0
			kill -s "$signal" "${pids[@]}" 2>/dev/null || true
			sleep 0.1
		done
	done
}

# --- packages --------------------------------------------------------------------------------

atid_installed() {
	[[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# clang, or the newest clang-NN.
atid_clang() { compgen -c clang | grep -m 1 -x clang || compgen -c | grep -E '^clang-[0-9]+$' | sort -V | tail -n 1 | grep .; }

# What the distribution's own package `postgresql` depends on. On a fresh machine apt has no lists yet.
atid_default_major() {
	{ apt-cache depends postgresql 2>/dev/null || true; } | sed -n 's/^ *Depends: postgresql-\([0-9]\{1,\}\)$/\1/p'
}

# Runs a command with root's rights and never asks on standard input.
atid_as_root() {
	local -a command=(env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 LC_ALL=C.UTF-8 "$@")
	((EUID == 0)) || command=(sudo "${command[@]}")
	"${command[@]}" </dev/null
}

# Runs apt-get, and shows what it said only if it fails.
atid_apt() {
	local log status=0
	((EUID == 0)) || command -v sudo >/dev/null ||
		atid_die "packages are missing (${ATID_MISSING[*]}): install them, or run this as root or with sudo"
	log=$(mktemp)
	ATID_UNDO+=("rm -f $log")
	atid_as_root "$@" >"$log" 2>&1 || status=$?
	((status == 0)) || tail -n 20 "$log" >&2
	rm -f "$log"
	return "$status"
}

ATID_MISSING=(postgresql)
ATID_UPDATED=
atid_apt_update() {
	[[ -z $ATID_UPDATED ]] || return 0
	atid_say 'apt-get update'
	# One unreachable third-party source must not stop us: the installation will tell.
	atid_apt apt-get -q update || true
	ATID_UPDATED=1
}

# Sets PG_MAJOR to what this machine is to use, PG_BIN and PG_PACKAGES: the server of ATID_PG_CONFIG,
# which nobody has to install; else Debian's of version ATID_PG, or of the distribution's own version.
atid_choose_major() {
	if [[ -n ${ATID_PG_CONFIG-} ]]; then
		PG_BIN=$("$ATID_PG_CONFIG" --bindir) PG_PACKAGES=()
		PG_MAJOR=$("$ATID_PG_CONFIG" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
	else
		PG_MAJOR=${ATID_PG:-$(atid_default_major)}
		if [[ -z $PG_MAJOR ]]; then
			atid_apt_update
			PG_MAJOR=$(atid_default_major)
		fi
		PG_BIN=/usr/lib/postgresql/$PG_MAJOR/bin
		PG_PACKAGES=("postgresql-$PG_MAJOR" "postgresql-server-dev-$PG_MAJOR")
	fi
	[[ $PG_MAJOR =~ ^[0-9]+$ ]] || atid_die 'cannot tell the version of PostgreSQL'
	((PG_MAJOR >= ATID_OLDEST)) ||
		atid_die "needs PostgreSQL $ATID_OLDEST or later, and this is $PG_MAJOR"
}

atid_bootstrap() {
	atid_trap
	command -v apt-get >/dev/null || atid_die 'needs Debian or Ubuntu (apt-get)'
	atid_choose_major
	atid_install "${PG_PACKAGES[@]}" "${ATID_BUILD_PACKAGES[@]}" "$@" ||
		atid_die "apt-get could not install: ${ATID_MISSING[*]}"
}

# Installs those of the packages that are missing.
atid_install() {
	local package status=0
	ATID_MISSING=()
	for package in "$@"; do
		atid_installed "$package" || ATID_MISSING+=("$package")
	done
	((${#ATID_MISSING[@]})) || return 0
	atid_apt_update
	atid_say "downloading ${ATID_MISSING[*]}"
	atid_apt apt-get -qy --no-install-recommends --download-only install "${ATID_MISSING[@]}" || return
	# In a session of its own, out of Ctrl-C's reach: interrupted, it would leave broken packages.
	atid_say "installing ${ATID_MISSING[*]} (Ctrl-C has to wait for this)"
	atid_no_main_cluster
	atid_apt setsid --wait apt-get -qy --no-install-recommends install "${ATID_MISSING[@]}" || status=$?
	atid_main_cluster_again
	return "$status"
}

# A newly installed server package makes and starts a cluster `main`. A drop-in file, there only
# while apt-get runs, says no to that; a machine that has the package already is left as it is.
ATID_DROP_IN=/etc/postgresql-common/createcluster.d/zz-atid.conf
atid_no_main_cluster() {
	! atid_installed "postgresql-${PG_MAJOR-}" || return 0
	ATID_UNDO+=(atid_main_cluster_again)
	# shellcheck disable=SC2016  # expanded by the inner shell
	atid_as_root sh -c 'mkdir -p "${1%/*}" && echo "create_main_cluster = false" >"$1"' sh "$ATID_DROP_IN"
}

atid_main_cluster_again() {
	[[ -e $ATID_DROP_IN ]] || return 0
	# shellcheck disable=SC2016
	atid_as_root sh -c 'rm -f "$1"; rmdir --ignore-fail-on-non-empty "${1%/*}"' sh "$ATID_DROP_IN"
}

# --- a place and a user ----------------------------------------------------------------------

atid_workdir() {
	local parent=${TMPDIR:-/tmp}
	atid_trap
	atid_user
	# A socket's path has to stay below 100 bytes, and the unprivileged user has to get in.
	((${#parent} <= 30)) && atid_as_them test -w "$parent" || parent=/tmp
	WORK=$(mktemp -d "$parent/atid-$1.XXXXXX")
	WORK=$(cd "$WORK" && pwd -P)
	SRC=$WORK/src
	mkdir "$WORK/home" "$WORK/tmp"
	chmod 755 "$WORK"
	((EUID != 0)) || chown -R "$RUN_AS:" "$WORK"
}

# PostgreSQL refuses to run as root.
atid_user() {
	RUN_AS=$(id -un)
	((EUID == 0)) || return 0
	RUN_AS=postgres
	id "$RUN_AS" >/dev/null 2>&1 || RUN_AS=nobody
}

atid_as_them() {
	local -a switch=()
	((EUID != 0)) ||
		switch=(setpriv --reuid "$RUN_AS" --regid "$(id -g "$RUN_AS")" --init-groups)
	"${switch[@]}" "$@"
}

as_user() {
	atid_as_them env -C "$WORK" USER="$RUN_AS" LOGNAME="$RUN_AS" HOME="$WORK/home" TMPDIR="$WORK/tmp" \
		PATH="${PREFIX_BIN:-${PG_BIN:-/usr/bin}}:$PATH" "$@"
}

# Bash answers a signal only after its foreground command has ended, but at once while it waits.
# The process group of its own lets the trap end the whole tree.
atid_job() {
	local status=0
	set -m
	"$@" </dev/null &
	ATID_JOB=$!
	set +m
	wait "$ATID_JOB" || status=$?
	atid_kill_group "$ATID_JOB"
	ATID_JOB=
	return "$status"
}

# Prints where the protocol's own test files are, if they are there: ATID_INTEROP_DIR, or beside us.
atid_interop_dir() {
	local folder=${ATID_INTEROP_DIR:-$ATID_ROOT/../shared/fixtures/atproto-interop}
	[[ -d $folder ]] && printf '%s\n' "$folder"
}

# Prints where the public vectors of PLC are, if they are there: ATID_PLC_DIR, or beside us.
atid_plc_dir() {
	local folder=${ATID_PLC_DIR:-$ATID_ROOT/../shared/fixtures/plc}
	[[ -d $folder ]] && printf '%s\n' "$folder"
}

# --- a private server ------------------------------------------------------------------------

# PostgreSQL finds its libraries and its share folder relative to its own executable. Real copies
# of the executables and links to all the rest therefore make a server of our own, into which
# `make install` can write without touching the system's. Settings would do too, but other ones in
# each version (extension_destdir, a patch of Debian's, before 18; two paths from there on), and
# none before 18 in a server that is not Debian's.
atid_prefix() {
	local lib share include folder
	lib=$("$PG_BIN/pg_config" --pkglibdir)
	share=$("$PG_BIN/pg_config" --sharedir)
	include=$("$PG_BIN/pg_config" --includedir)
	PREFIX=$WORK/pg
	PREFIX_BIN=$PREFIX$PG_BIN
	for folder in "$PG_BIN" "$lib" "$share" "$include"; do
		as_user mkdir -p "$PREFIX${folder%/*}"
	done
	as_user cp -a "$PG_BIN" "$PREFIX_BIN"
	as_user cp -as "$lib" "$PREFIX$lib"
	as_user cp -as "$share" "$PREFIX$share"
	as_user ln -s "$include" "$PREFIX$include"
	# Of an atid that is installed there, nothing: make install would write through the links.
	find "$PREFIX$lib" "$PREFIX$share" -mindepth 1 -name 'atid*' -prune -exec rm -rf {} +
	[[ $(as_user "$PREFIX_BIN/pg_config" --pkglibdir) == "$PREFIX"/* ]] ||
		atid_die "this PostgreSQL $PG_MAJOR does not find its files relative to its executable"
}

# The files of the project: in a git checkout those that git knows or would add, else all.
atid_files() (
	cd "$ATID_ROOT" || exit
	git=(git -c safe.directory="$ATID_ROOT")
	if [[ $("${git[@]}" rev-parse --show-toplevel 2>/dev/null) == "$ATID_ROOT" ]]; then
		"${git[@]}" ls-files -co --exclude-standard -z
	else
		find . -type f -print0
	fi | while IFS= read -r -d '' file; do
		[[ ! -e $file ]] || printf '%s\0' "$file"
	done
)

atid_copy_sources() {
	as_user mkdir -p "$1"
	# Read as ourselves, write as the user: the checkout may be closed to them.
	atid_files | tar -C "$ATID_ROOT" --no-recursion --null -cf - -T - | as_user tar -C "$1" --no-same-owner -xf -
}

atid_build() {
	local folder
	[[ -d $SRC ]] || atid_copy_sources "$SRC"
	for folder in "${ATID_EXTENSIONS[@]}"; do
		atid_make all -C "$folder" "$@"
		atid_make install -C "$folder" "$@"
	done
}

# Shows the log only if make fails.
atid_make() {
	local log=$WORK/build.log
	as_user make -s -C "$SRC" -j "$(nproc)" PG_CONFIG="$PREFIX_BIN/pg_config" "$@" >>"$log" 2>&1 || {
		tail -n 40 "$log" >&2
		atid_die "make $1 failed"
	}
}

ATID_INITDB=(-E UTF8 --locale=C.UTF-8)
atid_server_start() {
	local data=$WORK/data
	as_user initdb -D "$data" -U postgres "${ATID_INITDB[@]}" --auth=trust --no-sync \
		>"$WORK/initdb.log" 2>&1 || {
		cat "$WORK/initdb.log" >&2
		atid_die 'initdb failed'
	}
	printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$WORK'" "port = 5432" "$@" |
		as_user tee -a "$data/postgresql.conf" >/dev/null
	export PGHOST=$WORK PGPORT=5432 PGUSER=postgres
	as_user pg_ctl -D "$data" -l "$WORK/server.log" -w -s start || {
		tail -n 20 "$WORK/server.log" >&2
		atid_die 'the server did not start'
	}
}
