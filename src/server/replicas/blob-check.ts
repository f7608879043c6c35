import { setTimeout as sleep } from 'node:timers/promises'
import type { BlobLocation } from '../../platform/blobs/blob-location.ts'
import { ConfigError } from '../../platform/config/config-error.ts'
import type { Database } from '../../platform/store/database.ts'
import { listProcesses, removeSilent, type StoredProcess } from '../../platform/store/installation/processes.ts'
import type { Peers } from './peers.ts'

/** Longer than two beats of a process take, so that a process without one is dead. */
const WATCH_MS = 10_000
const LOOK_MS = 500

export function nameOfLocation({ kind, name }: BlobLocation): string {
  return `${kind}:${name}`
}

/**
 * Whether processes with these places cannot read each other's files. Two different buckets are the operator's own choice,
 * because one bucket may have several names.
 */
export function areApart(one: string, other: string): boolean {
  return one !== other && (one.startsWith('folder:') || other.startsWith('folder:'))
}

type Check = { db: Database; own: { id: string; blobs: string }; peers: Peers; beat(): Promise<void> }

/**
 * Refuses to start beside a running process that keeps blobs elsewhere. Of two that start at once, the one with the larger
 * number yields. A process may have left its row behind when it was killed, so its beats are watched for a while.
 */
export async function refuseOtherBlobs({ db, own, peers, beat }: Check): Promise<void> {
  const until = performance.now() + WATCH_MS
  for (;;) {
    const listed = await listProcesses(db)
    peers.note(listed)
    const rivals = rivalsOf(own, listed)
    const live = rivals.find(({ id }) => peers.isLive(id))
    if (live) throw new ConfigError(refusal(own.blobs, live.id))
    if (rivals.length === 0) return
    if (performance.now() > until) return void (await Promise.all(rivals.map((rival) => removeSilent(db, rival))))
    await sleep(LOOK_MS)
    await beat()
  }
}

function rivalsOf({ id, blobs }: Check['own'], listed: readonly StoredProcess[]): StoredProcess[] {
  const number = listed.find((row) => row.id === id)?.number ?? Number.POSITIVE_INFINITY
  const isBefore = (row: StoredProcess) => row.number < number || (row.number === number && row.id < id)
  return listed.filter((row) => row.id !== id && isBefore(row) && areApart(row.blobs, blobs))
}

function refusal(blobs: string, other: string): string {
  const here = blobs.startsWith('folder:') ? 'in a local folder (DATA_DIR/blobs)' : 'in a bucket (BLOB_URL)'
  return (
    `This process keeps files ${here}, but the process ${other}, which uses the same database, keeps them elsewhere: set ` +
    'BLOB_URL to the same bucket for all processes, or mount one shared folder as DATA_DIR/blobs of all of them.'
  )
}
