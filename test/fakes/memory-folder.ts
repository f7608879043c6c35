import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const FOLDER = '/dev/shm'
/** More than all test processes need together. A container often has 64 MB there, which is too little. */
const ENOUGH_BYTES = 4 * 1024 ** 3

/**
 * Where the files of a store belong that lives as long as a test: in memory where there is enough of it, and else on the disk.
 * A PostgreSQL database is a thousand files, and creating and dropping them costs five times as much CPU on a disk.
 */
export function memoryFolder(): string {
  if (!existsSync(FOLDER)) return tmpdir()
  const { bavail, bsize } = statfsSync(FOLDER)
  return bavail * bsize > ENOUGH_BYTES ? FOLDER : tmpdir()
}
