/*
 * generator.pml
 *		The generator's protocol, for the model checker Spin.
 *
 * What sessions do to a stream's word, to the life, to the sequence's page and to
 * WAL, step by step.  Between any two steps other sessions may take theirs, and
 * the server may crash.  A label names a step, and a comment "model: LABEL" marks
 * the statement of src/generator/ that takes it.
 *
 * Claims, checked at each tick that is handed out:
 *
 *	- no draw was given it before;
 *	- it is above all ticks that were handed out before its draw began.
 *
 * They hold across crashes, whatever PostgreSQL may have put on disk by then.  A
 * reset gives up the claims and begins them anew.
 *
 * Left out: max_drift, as waiting adds nothing to safety; the second after which
 * a session forgets the horizon, as here it may forget it at any time.
 *
 * Assumed of PostgreSQL: WAL reaches the disk in order, and a page after its WAL.
 * After a crash the pages and the catalogue are what some prefix of WAL says, and
 * all that was flushed is in the prefix.  Locks exclude.  Others see a commit
 * after its record is flushed, or earlier where the commit is asynchronous.
 *
 * What happens is set by -D (see the defaults below); t/generator/model.pl has the runs.
 *	BACK		the wall clock may be set back
 *	CRASHES		so many crashes
 *	RECREATE	so many transactions of DROP EXTENSION and CREATE EXTENSION, each
 *				committed, synchronously or not, or rolled back
 *	RESETS		so many calls of generator_reset()
 *	SETVALS		so many calls of setval() on the sequence
 *	STANDBY		the last session runs on a standby, which may be promoted
 *	WEAK		compare-and-swap is a load-exclusive and a store-exclusive, and the
 *				read of the life that follows may be satisfied between the two, as
 *				on Arm without LSE and on POWER
 * MUTATION names a step to leave out or to do wrong: a claim must then fail.
 */
#ifndef SESSIONS
#define SESSIONS	2
#endif
#ifndef DRAWS
#define DRAWS		1			/* of a session, between two crashes */
#endif
#ifndef TIME
#define TIME		0			/* ticks of the wall clock */
#endif
#ifndef CRASHES
#define CRASHES		1
#endif
#ifndef RESERVE
#define RESERVE		0			/* ticks */
#endif
#ifndef RECREATE
#define RECREATE	0
#endif
#ifndef RESETS
#define RESETS		0
#endif
#ifndef SETVALS
#define SETVALS		0
#endif
#ifdef STANDBY
#define SERVERS		2
#else
#define SERVERS		1
#endif

#define NONE			0
#define NO_FLUSH		1
#define FLUSH_OWN		2
#define NO_LIFE			3
#define NO_RAISE			4
#define NO_SWAP			5
#define NOT_COVERED		6
#define COVER_NO_LIFE	7
#define COVER_NO_WRITE	8
#define COVER_ASYNC		9
#define COVER_PLAIN		10
#define RESET_EARLY		11
#define PROMOTED		12
#define LOWER			13
#ifndef MUTATION
#define MUTATION	NONE
#endif

#ifndef ROOM
#define ROOM	3				/* WAL records that are not on disk yet */
#endif
#define MAX(a, b)	((a) > (b) -> (a) : (b))

byte clock;					/* the wall clock */

/* a server's shared memory; the primary is server 0 */
byte word[SERVERS];				/* the last tick handed out */
byte life[SERVERS];
byte reached[SERVERS];			/* the highest horizon that its page has had in this life */
byte numbers;					/* a life's number is random; here they are counted */
bool recovery[SERVERS];

/* the page of each of two sequences, in the buffers of each server */
typedef Page { byte horizon; byte life; byte lsn };	/* lsn: its record in wal[], from 1, or 0 */
#define PAGE(seq)	page[at * 2 + (seq)]
#define LOCKED(seq)	locked[at * 2 + (seq)]
Page page[SERVERS * 2];
bool locked[SERVERS * 2];

/* what the catalogue says to all sessions, and the locks on the sequences */
bit sequence;					/* which of the two is the extension's */
byte users[2];
bool dropping[2];

/* WAL that is not on disk, and what the disk says without it */
typedef Record { bool commit; bit seq; byte horizon; byte life };
Record wal[ROOM];
byte wal_count;
Page disk[2];
bit disk_sequence;
byte wanted[SESSIONS + 3];		/* how many of wal[] a process waits for */

/* the world, and the claims */
byte crashes;					/* a process notices one by this */
byte recreated, resets, setvals;
bool failed_over;
bool unsafe;					/* setval() went down: see there */
int handed[SERVERS];			/* bits of the ticks that a server has handed out */
byte highest[SERVERS];			/* and the highest of them */
int soft;						/* those of handed[] that a standby handed out in recovery */
byte inherited;					/* the highest of the primary's whose WAL had arrived */
#ifdef WEAK
byte exclusive;					/* bits of sessions whose store-exclusive may succeed */
#define WORD_STORED	exclusive = 0
#else
#define WORD_STORED	skip
#endif
hidden byte i, k;				/* for d_step only */


/*
 * WAL
 */
inline flush(n)
{
	d_step {
		k = n;
		for (i : 0 .. ROOM - 1) {
			if
			:: i < k && wal[i].commit -> disk_sequence = wal[i].seq
			:: i < k && !wal[i].commit ->
				disk[wal[i].seq].horizon = wal[i].horizon;
				disk[wal[i].seq].life = wal[i].life
			:: i >= k && k > 0 ->
				wal[i - k].commit = wal[i].commit; wal[i - k].seq = wal[i].seq;
				wal[i - k].horizon = wal[i].horizon; wal[i - k].life = wal[i].life
			:: else
			fi
		}
		wal_count = wal_count - k;
		for (i : 0 .. ROOM - 1) {
			if
			:: i >= wal_count ->
				wal[i].commit = 0; wal[i].seq = 0; wal[i].horizon = 0; wal[i].life = 0
			:: else
			fi
		}
		for (i : 0 .. 1) {
			page[i].lsn = (page[i].lsn > k -> page[i].lsn - k : 0)
		}
#ifdef STANDBY
		for (i : 2 .. 3) {
			page[i].lsn = (page[i].lsn > k -> page[i].lsn - k : 0)
		}
#endif
		for (i : 0 .. SESSIONS + 2) {
			wanted[i] = (wanted[i] > k -> wanted[i] - k : 0)
		}
		i = 0; k = 0
	}
}

/* Insert a record; where there is no room, the WAL writer has flushed the oldest. */
inline insert(is_commit, which)
{
	if
	:: wal_count == ROOM -> flush(1)
	:: else
	fi;
	d_step {
		wal[wal_count].commit = is_commit;
		wal[wal_count].seq = which;
		if
		:: !is_commit ->
			wal[wal_count].horizon = PAGE(which).horizon;
			wal[wal_count].life = PAGE(which).life;
			wal_count++;
			PAGE(which).lsn = wal_count
		:: else -> wal_count++
		fi
	}
}

inline write_page(whose, to, number)
{
	atomic {
		PAGE(whose).horizon = to;
		PAGE(whose).life = number;
		insert(false, whose)
	}
}


/* Is what setval() wrote overwritten, whatever prefix of WAL is on disk? */
inline setval_is_safe()
{
	d_step {
		unsafe = unsafe && disk[seq].life == 0;
		for (i : 0 .. ROOM - 1) {
			if
			:: i < wal_count && !wal[i].commit && wal[i].seq == seq && wal[i].life == 0 ->
				unsafe = (SETVALS > 0)
			:: else
			fi
		}
		i = 0
	}
}


/*
 * A session draws: draw_tick() and refresh_horizon().
 */
proctype session(byte me)
{
	byte at, epoch, draws, now, last, next, tick_life, needed;
	byte limit, known_life;	/* the horizon that it knows */
	byte found;					/* the page's horizon as it was left */
	byte before;				/* the highest tick handed out when the draw began */
	byte begun;					/* resets, then */
	bool writable, wrote, in_recovery;
	bit seq;

again:
	epoch = crashes;
end_primary:
	!failed_over || at == 1;
	{
		d_step {
		at = (SERVERS == 2 && me == SESSIONS - 1 -> 1 : 0);
		draws = 0; now = 0; last = 0; next = 0; tick_life = 0; needed = 0; limit = 0;
		known_life = 0; found = 0; before = 0; begun = 0;
		writable = 0; wrote = 0; in_recovery = 0; seq = 0 };
end_draws:
		do
		:: d_step { draws < DRAWS ->
				draws++;
				before = highest[at];
				begun = resets }
draw_clock:
			now = clock;
draw_word:
			atomic {
				last = word[at];
				next = MAX(now, last + 1);
				if
				:: next < limit || MUTATION == NOT_COVERED ->
					tick_life = known_life; in_recovery = false; goto draw_swap
				:: true -> skip		/* not covered, or too old */
				fi };
			tick_life = life[at];
page_lock:
			atomic {
				writable = !recovery[at];
				seq = sequence;
				!dropping[seq] -> users[seq]++;
				if
				:: seq != sequence -> users[seq]--; goto draw_clock	/* it is gone: an error */
				:: else
				fi;
				!LOCKED(seq) -> LOCKED(seq) = true };
			known_life = life[at];
streams_raise:
			d_step {
				if
				:: PAGE(seq).life != known_life && word[at] + 1 < PAGE(seq).horizon && MUTATION != NO_RAISE ->
					word[at] = PAGE(seq).horizon - 1; WORD_STORED
				:: else
				fi };
			if
			:: !writable ->
				d_step { LOCKED(seq) = false; users[seq]--; limit = 0; known_life = 0; seq = 0 };
				if
				:: d_step { recovery[at] || MUTATION == PROMOTED -> in_recovery = recovery[at] }; goto draw_swap
				:: else -> goto draw_clock
				fi
			:: else
			fi;
			needed = MAX(now, word[at]) + 2;
page_write:
			atomic {
				if
				:: PAGE(seq).life != known_life || PAGE(seq).horizon < needed ->
					needed = needed + RESERVE;
					needed = (MUTATION == LOWER -> needed : MAX(needed, reached[at]));
					reached[at] = needed;
					write_page(seq, needed, known_life); wrote = true
				:: else -> wrote = false
				fi;
				found = PAGE(seq).horizon;
				wanted[me] = PAGE(seq).lsn;
				LOCKED(seq) = false;
				needed = 0 };
page_flush:
			atomic {
				if
				:: MUTATION == NO_FLUSH || (MUTATION == FLUSH_OWN && !wrote)
				:: else -> flush(wanted[me])
				fi;
				users[seq]--;
				limit = found;
				setval_is_safe();
				wanted[me] = 0; found = 0; wrote = 0; seq = 0; writable = 0;
				now = 0; last = 0; next = 0; tick_life = 0;
				goto draw_clock };

draw_swap:
#ifdef WEAK
			if
			:: d_step { word[at] == last -> exclusive = exclusive | (1 << me) }
			:: word[at] != last -> goto draw_clock
			fi;
			if
			:: needed = life[at]		/* satisfied early */
			:: needed = 0
			fi;
			if
			:: d_step { exclusive & (1 << me) -> word[at] = next; WORD_STORED }
			:: (exclusive & (1 << me)) == 0 -> needed = 0; goto draw_clock
			fi;
#else
			if
			:: d_step { word[at] == last || MUTATION == NO_SWAP -> word[at] = next }
			:: word[at] != last && MUTATION != NO_SWAP -> goto draw_clock
			fi;
#endif
draw_life:
			d_step {
				if
				:: (needed != 0 -> needed : life[at]) == tick_life || MUTATION == NO_LIFE ->
					assert(next < 31);
					if
					:: begun == resets || life[at] == tick_life ->
						assert((handed[at] & (1 << next)) == 0);
						assert(begun != resets || next > before);
						assert(in_recovery || next > inherited);
						handed[at] = handed[at] | (1 << next);
						highest[at] = MAX(highest[at], next)
					:: else		/* a reset overtook it: it is of the time before */
					fi;
					if
					:: in_recovery -> soft = soft | (1 << next)
					:: else
					fi;
					last = 0
				:: else -> limit = 0; known_life = 0; last = 1
				fi;
				needed = 0; now = 0; next = 0; tick_life = 0; in_recovery = 0 };
			if
			:: last == 1 -> goto draw_clock
			:: else
			fi
		od
	} unless { epoch != crashes || (failed_over && at == 0) };
	goto again
}


/*
 * A transaction drops the extension and creates it: the new sequence is to cover
 * what the running streams have handed out.  atid_generator_cover_streams()
 *
 * Between a restart and the first draw there are no streams that run, and what
 * is dropped is the only trace of what was handed out.  This is not promised for.
 */
proctype recreate(byte me)
{
	byte at, epoch, seen;
	bit old;

again:
	epoch = crashes;
	{
		d_step { seen = 0; old = 0 };
end_recreate:
		do
		:: d_step { recreated < RECREATE -> recreated++ }
			atomic {
				old = sequence;
				!dropping[old] && users[old] == 0 && PAGE(old).life == life[at] ->
				dropping[old] = true };
			write_page(1 - old, 0, 0);
			atomic { !LOCKED(1 - old) -> LOCKED(1 - old) = true };
cover_life:
			if
			:: MUTATION == COVER_NO_LIFE
			:: else -> d_step { numbers++; life[at] = numbers }
			fi;
cover_word:
			d_step {
				seen = word[at];
				if
				:: MUTATION != COVER_PLAIN -> WORD_STORED	/* a read-modify-write */
				:: else
				fi };
			if
			:: seen > 0 && MUTATION != COVER_NO_WRITE ->
				atomic {
					reached[at] = seen + 2 + RESERVE;
					write_page(1 - old, reached[at], life[at]) }
			:: else
			fi;
			d_step { wanted[me] = PAGE(1 - old).lsn; LOCKED(1 - old) = false; seen = 0 };
			flush(wanted[me]);
			if
			:: dropping[old] = false	/* rolled back */
			:: true -> insert(true, 1 - old);
				if
				:: d_step { MUTATION != COVER_ASYNC -> wanted[me] = wal_count };	/* ForceSyncCommit() */
					flush(wanted[me])
				:: MUTATION == COVER_ASYNC
				fi;
				d_step { sequence = 1 - old; dropping[old] = false; wanted[me] = 0; old = 0 }
			fi
		od
	} unless { epoch != crashes };
	goto again
}


/*
 * generator_reset(): atid_generator_restart()
 */
proctype reset(byte me)
{
	byte at, epoch;
	bit seq;

again:
	epoch = crashes;
	{
		seq = 0;
end_reset:
		do
		:: resets < RESETS ->
			seq = sequence;
			atomic { !dropping[seq] -> users[seq]++ };
			if
			:: seq != sequence -> users[seq]--; goto end_reset
			:: else
			fi;
			atomic { !LOCKED(seq) -> LOCKED(seq) = true };
			if
			:: MUTATION == RESET_EARLY -> d_step { word[at] = 0; WORD_STORED }
			:: else
			fi;
reset_life:
			d_step { numbers++; life[at] = numbers; resets++; handed[at] = 0; highest[at] = 0 };
reset_page:
			atomic {
				reached[at] = clock + 2 + RESERVE;
				write_page(seq, reached[at], life[at]) };
reset_word:
			d_step { word[at] = 0; WORD_STORED };
			d_step { wanted[me] = PAGE(seq).lsn; LOCKED(seq) = false };
			flush(wanted[me]);
			d_step { users[seq]--; wanted[me] = 0; seq = 0 }
		od
	} unless { epoch != crashes };
	goto again
}


/*
 * setval(), which locks the page, and does not flush.
 *
 * Downwards it overwrites the horizon, and the next session that locks the page
 * raises it again.  What is not promised for is a crash before that has reached the
 * disk, and setval() before the first draw after a restart.
 */
proctype setval(byte me)
{
	byte at;

end_setval:
	do
	:: atomic {
			setvals < SETVALS && !LOCKED(sequence) && !dropping[sequence] ->
			setvals++;
			if
			:: PAGE(sequence).life == life[at] -> write_page(sequence, 0, 0); unsafe = true
			:: write_page(sequence, PAGE(sequence).horizon + 1, 0)
			fi }
	od
}


/*
 * The clock, crashes, and the standby's WAL.
 */
proctype world()
{
	byte at;

end_world:
	do
	:: d_step { clock < TIME -> clock++ }
#ifdef BACK
	:: d_step { clock > 0 -> clock-- }
#endif
	:: atomic { crashes < CRASHES && !unsafe && (SERVERS == 1 || failed_over) ->
			do			/* so much of WAL was on disk, or is by chance */
			:: wal_count > 0 -> flush(1)
			:: break
			od;
			d_step {
				at = failed_over;
				crashes++;
				for (i : 0 .. ROOM - 1) {
					wal[i].commit = 0; wal[i].seq = 0; wal[i].horizon = 0; wal[i].life = 0
				}
				wal_count = 0;
				for (i : 0 .. 1) {
					PAGE(i).horizon = disk[i].horizon; PAGE(i).life = disk[i].life; PAGE(i).lsn = 0;
					LOCKED(i) = false; users[i] = 0; dropping[i] = false
				}
				for (i : 0 .. SESSIONS + 2) {
					wanted[i] = 0
				}
				sequence = disk_sequence;
				word[at] = 0; reached[at] = 0; WORD_STORED;
				numbers++; life[at] = numbers;
				handed[at] = handed[at] & ~soft;
				soft = 0;
				highest[at] = 0;
				for (i : 0 .. 30) {
					if
					:: handed[at] & (1 << i) -> highest[at] = i
					:: else
					fi
				}
				i = 0; at = 0
			} }
#ifdef STANDBY
	:: d_step { !failed_over && !locked[2] && page[2].horizon != disk[0].horizon ->
			page[2].horizon = disk[0].horizon; page[2].life = disk[0].life }	/* WAL arrives */
	:: d_step { !failed_over && !locked[2] ->
			failed_over = true;
			recovery[1] = false;
			disk[0].horizon = page[2].horizon; disk[0].life = page[2].life;
			for (i : 0 .. ROOM - 1) {
				wal[i].commit = 0; wal[i].seq = 0; wal[i].horizon = 0; wal[i].life = 0
			}
			wal_count = 0;
			for (i : 0 .. SESSIONS + 2) {
				wanted[i] = 0
			}
			users[0] = 0;
			for (i : 0 .. 30) {
				if
				:: i < page[2].horizon && (handed[0] & (1 << i)) -> inherited = i
				:: else
				fi
			}
			i = 0 }
#endif
	od
}

init {
	atomic {
		numbers = SERVERS;
		life[0] = 1;
#ifdef STANDBY
		life[1] = 2;
		recovery[1] = true;
#endif
		for (i : 0 .. SESSIONS - 1) {
			run session(i)
		}
		if
		:: RECREATE > 0 -> run recreate(SESSIONS)
		:: else
		fi;
		if
		:: RESETS > 0 -> run reset(SESSIONS + 1)
		:: else
		fi;
		if
		:: SETVALS > 0 -> run setval(SESSIONS + 2)
		:: else
		fi;
		run world()
	}
}
