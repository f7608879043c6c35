import { FAILED, PROJECT } from '../ledger/line-columns.ts'
import { SUM_COLUMNS, sumsOfSums } from '../ledger/rollups.ts'
import type { Migration } from '../migration.ts'

// A ledger line says for whom its call was, and has the attempts of its call. Existing lines stay as they are: their project
// is their owner. The roll-ups of the new dimensions are made of those that exist, which reach back further than the lines.

const COLUMNS = [
  ...['organization', 'project', 'user_id', 'end_user', 'requested_model'],
  // JSON: the tags, what the line is counted as in the roll-ups of labels, and the attempts, notes and hooks.
  ...['tags', 'rolled_labels', 'detail'],
]

function rollUps(dimension: string, value: string, from: string): string {
  return `INSERT INTO usage_rollups (step, dimension, start, value, ${SUM_COLUMNS.join(', ')})
    SELECT step, '${dimension}', start, ${value}, ${sumsOfSums()} FROM usage_rollups WHERE dimension = '${from}'
    GROUP BY 1, 2, 3, 4`
}

export const migration: Migration = {
  // A caller's own id is the beginning of an id, and only this order finds beginnings.
  postgresOnly: ['CREATE INDEX usage_by_id ON usage (id COLLATE "C")'],
  sqliteOnly: ['CREATE INDEX usage_by_id ON usage (id)'],
  statements: [
    ...COLUMNS.map((column) => `ALTER TABLE usage ADD COLUMN ${column} TEXT`),
    rollUps('project', "CASE WHEN value IN (SELECT id FROM keys) THEN 'personal' ELSE value END", 'owner'),
    // Every dimension counts each line once, so the one with the fewest values gives the totals.
    rollUps('organization', "'default'", 'status'),
    rollUps('user', "''", 'status'),
    rollUps('requested_model', "''", 'status'),
    // The filters of the request log that find few among many lines. Others are found on the way through the time.
    `CREATE INDEX usage_by_project ON usage ((${PROJECT}), at, id)`,
    'CREATE INDEX usage_by_key ON usage (key_id, at, id)',
    'CREATE INDEX usage_by_user ON usage (user_id, at, id) WHERE user_id IS NOT NULL',
    'CREATE INDEX usage_by_end_user ON usage (end_user, at, id) WHERE end_user IS NOT NULL',
    `CREATE INDEX usage_failed ON usage (at, id) WHERE ${FAILED}`,
    'CREATE INDEX usage_with_fallback ON usage (at, id) WHERE attempts > 1',
  ],
}
