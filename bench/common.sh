# shellcheck shell=bash
# Shared by the benchmarks here. Options of each:
#
#   --pg N      on PostgreSQL N; if this machine has another, in a Debian root of its own (script/in-root)
#   --rounds N  rounds
#   --rows N    number of rows in the tables
#   --keep      keep the temporary folder
#
# They print medians over rounds in which everything takes its turn, and the ratios next to their targets. They are not
# tests: a missed target is printed, and the exit status is 0. See bench/README.md.
set -euo pipefail
# shellcheck source=../script/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../script/lib.sh"

declare -A part=()

# bench_options 'PART...' ROUNDS ROWS "$@": sets rounds, rows, and part[NAME] to 1 for each requested part
bench_options() {
	local name
	[[ " $* " != *' --help '* && " $* " != *' -h '* ]] || sed -n '4,/^set/{/^set/!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
	atid_options 'pg= rounds= rows= keep first' "${@:4}"
	rounds=${option[rounds]-$2} rows=${option[rows]-$3}
	[[ $rounds =~ ^[1-9][0-9]*$ && $rows =~ ^[1-9][0-9]*$ ]] || atid_die '--rounds and --rows must be positive integers'
	for name in $1; do part[$name]=$((!${#words[@]})); done
	for name in "${words[@]}"; do
		[[ -n ${part[$name]-} ]] || atid_die "unrecognized part: $name (see --help)"
		part[$name]=1
	done
	atid_on_pg "bench/${0##*/}" "${@:4}"
}

# bench_server SETUP [conf line...]: with atid and the objects created by the SQL of SETUP. Everything stays in memory
# and in one process: only the code is measured.
bench_server() {
	atid_prefix
	atid_say 'building atid'
	atid_build
	[[ $1 != setup ]] || atid_make -C "$SRC/bench" with_llvm=no install
	[[ -z ${option[first]-} ]] || chrt --fifo --pid 1 $$ || atid_die '--first requires root privileges'
	atid_server_start 'fsync = off' 'autovacuum = off' 'checkpoint_timeout = 1h' 'jit = off' \
		'max_parallel_workers_per_gather = 0' "${@:2}"
	sql -v rows="$rows" -f "$SRC/bench/$1.sql" <"${signatures:-/dev/null}"
	atid_say "PostgreSQL $(sql -c 'SHOW server_version'), $(nproc) processors, load $(cut -d ' ' -f 1-3 /proc/loadavg)"
}

sql() { as_user psql -XqAt -v ON_ERROR_STOP=1 -d postgres "$@"; }
job() { atid_job sql -c "$1"; }

# rounds PROCEDURE NUMBER [ARGUMENT]: round 0 only warms up
rounds() {
	local round
	for ((round = 0; round <= $2; round++)); do
		job "CALL bench.$1($round${3:+, $3})"
	done
}

# bench_report FILE: with the parts as variables
bench_report() {
	local name variables=()
	for name in "${!part[@]}"; do variables+=(-v "${name/-/_}=${part[$name]}"); done
	as_user psql -Xq -v ON_ERROR_STOP=1 -d postgres "${variables[@]}" -f "$SRC/bench/$1.sql"
	atid_say "load at the end: $(cut -d ' ' -f 1-3 /proc/loadavg)"
}

# bench_npm FOLDER: gets the packages that it locks, and prints npm's output
bench_npm() { as_user env npm_config_cache="$WORK/npm" npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund 2>&1; }

# bench_node PROGRAM: in WORK/node, with the packages and versions of the tests ($ATID_ORACLES names a folder that has
# them already). Returns false if Node, npm or the packages are not available.
bench_node() {
	local said=''
	as_user mkdir "$WORK/node"
	as_user cp "$SRC/t/oracles/package.json" "$SRC/t/oracles/package-lock.json" "$SRC/bench/$1" "$WORK/node"
	if ! type node npm >/dev/null 2>&1; then
		said='node or npm is not installed'
	elif [[ -n ${ATID_ORACLES-} ]]; then
		as_user ln -s "$ATID_ORACLES/node_modules" "$WORK/node/node_modules"
	else
		said=$(bench_npm "$WORK/node") && said='' || said="npm ci failed: $(tail -n 1 <<<"$said")"
	fi
	[[ -z $said ]] || { atid_say "not measured with Node: $said" && return 1; }
}

# ask NAME LINE: sends a line to a process that stays, a coproc NAME, and prints its answer.
ask() {
	local -n ends=$1
	local answer
	echo "$2" >&"${ends[1]}"
	read -r answer <&"${ends[0]}" || atid_die "the process $1 ended unexpectedly"
	echo "$answer"
}

# bench_packages FOLDER: installs the packages of its lock file, or ends
bench_packages() {
	local said
	said=$(bench_npm "$1") || atid_die "npm ci failed: $(tail -n 1 <<<"$said")"
}

# bench_sources: the indexer in WORK/node/indexer without packages, and a suitable Node in the variable node
bench_sources() {
	as_user mkdir -p "$WORK/node"
	as_user cp -R "$SRC/indexer" "$SRC/examples" "$SRC/t/node" "$WORK/node"
	bench_packages "$WORK/node/node"
	node=$(echo "$WORK"/node/node/node_modules/node-linux-*/bin/node)
}

# bench_program: the same with its packages and its API
bench_program() {
	bench_sources
	bench_packages "$WORK/node/indexer"
	as_user env -C "$WORK/node/indexer" "$node" bundle.js >/dev/null || atid_die 'could not build the API'
}
