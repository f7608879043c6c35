import type { Database } from '../database.ts'
import { MB } from '../../../base/units/units.ts'

// The processes that use this store now. A process counts its beats; others see that the number changes.

/** The newest rows are read, so that rows that dead processes left do not hide running processes. */
const MAX_PROCESSES = 500
export const MAX_LEARNED_CHARS = 65_536
export const MAX_CONFIG_CHARS = MB

export type StoredProcess = {
  id: string
  /** Larger than the number of every process that was there before. */
  number: number
  role: string
  /** Where the process keeps blobs. */
  blobs: string
  /** The id of the key with which the process signs webhooks. */
  webhookKey: string
  beats: number
  /** Changes whenever `learned` does. */
  learnedNumber: number
}

/** `learned` is what the process has learned about providers, as JSON. */
type Beat = Pick<StoredProcess, 'id' | 'role' | 'blobs' | 'webhookKey' | 'learnedNumber'> & {
  learned: string
  /** How many ledger lines the process has that the store does not have yet. */
  ledgerWaiting: number
}

export async function recordBeat(db: Database, beat: Beat): Promise<void> {
  const sql = `INSERT INTO processes (id, number, role, blobs, webhook_key, beats, learned_number, learned, ledger_waiting)
    VALUES ($1, (SELECT COALESCE(MAX(number), 0) + 1 FROM processes), $2, $3, $4, 1, $5, $6, $7)
    ON CONFLICT (id) DO UPDATE SET webhook_key = $4, beats = processes.beats + 1, learned_number = $5, learned = $6,
      ledger_waiting = $7`
  const { id, role, blobs, webhookKey, learnedNumber, learned, ledgerWaiting } = beat
  await db.query(sql, [id, role, blobs, webhookKey, learnedNumber, learned, ledgerWaiting])
}

export function listProcesses(db: Database): Promise<StoredProcess[]> {
  const sql = `SELECT id, number, role, blobs, webhook_key AS "webhookKey", beats, learned_number AS "learnedNumber"
    FROM processes ORDER BY number DESC, id LIMIT ${MAX_PROCESSES}`
  return db.query<StoredProcess>(sql)
}

/** What these processes have learned. A text that is longer than any that we write is left out. */
export async function readLearned(db: Database, ids: readonly string[]): Promise<{ id: string; learned: string }[]> {
  if (ids.length === 0) return []
  const places = ids.map((_, i) => `$${i + 1}`).join(', ')
  const sql = `SELECT id, learned FROM processes WHERE id IN (${places}) AND length(learned) <= ${MAX_LEARNED_CHARS}`
  return db.query<{ id: string; learned: string }>(sql, ids)
}

/** `config` is what a process reports about its configuration, as JSON. */
export async function recordConfig(db: Database, id: string, config: string): Promise<void> {
  await db.query('UPDATE processes SET config = $2 WHERE id = $1', [id, config])
}

export async function readConfigs(db: Database, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const places = ids.map((_, i) => `$${i + 1}`).join(', ')
  const sql = `SELECT config FROM processes WHERE id IN (${places}) AND length(config) <= ${MAX_CONFIG_CHARS}`
  return (await db.query<{ config: string }>(sql, ids)).map(({ config }) => config)
}

export async function removeProcess(db: Database, id: string): Promise<void> {
  await db.query('DELETE FROM processes WHERE id = $1', [id])
}

/** Removes a process that has not counted on since. */
export async function removeSilent(db: Database, { id, beats }: Pick<StoredProcess, 'id' | 'beats'>): Promise<void> {
  await db.query('DELETE FROM processes WHERE id = $1 AND beats = $2', [id, beats])
}
