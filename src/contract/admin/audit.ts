import { freeObject, nullable, timestamp } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { pageOf } from '../paging.ts'

export const AuditEntry = Type.Object(
  {
    seq: Type.Integer({ minimum: 1, description: 'The number of the row. There are no gaps.' }),
    at: timestamp('When it happened.'),
    actor: Type.String({ description: 'Who did it: `user:<id>`, `service:<id>`, `admin_key`, `cli`, `config`.' }),
    via: Type.String({
      description: 'How: `session`, `token`, `admin_key`, `cli`, `reload`, `password`, `sso`, `background`.',
    }),
    action: Type.String({ description: 'What was done, such as `key.create`.' }),
    object: Type.String({ description: 'What it was done with, such as `key:<id>`.' }),
    before: nullable(freeObject(), 'The changed fields as they were. Secrets are never in it.'),
    after: nullable(freeObject(), 'The changed fields as they are.'),
    ip: nullable(Type.String(), 'The address of the client.'),
    request: nullable(Type.String(), 'The id of the request.'),
    prev: Type.String({ description: 'The hash of the row before.' }),
    hash: Type.String({ description: 'The SHA-256 of `prev` and of the row as canonical JSON.' }),
  },
  { title: 'AuditEntry', description: 'A row of the audit log.' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditList = pageOf(AuditEntry, {
  title: 'AuditList',
  description: 'Rows of the audit log.',
  items: 'The rows, newest first.',
})
export type AuditList = Static<typeof AuditList>
