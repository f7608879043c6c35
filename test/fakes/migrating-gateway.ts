// A gateway with one more migration than the real ones, as a process that a test can kill: its statements are the argument.
import { pino } from 'pino'
import { loadConfig } from '../../src/platform/config/config.ts'
import { openGateway } from '../../src/server/gateway.ts'
import { withMigration } from './with-migration.ts'

const migrations = withMigration(JSON.parse(process.argv[2]!))
const { api, admin } = await openGateway(loadConfig(process.env), pino(), { migrations, slowStartMs: 0 })
const url = await api.listen({ host: '127.0.0.1', port: 0 })
const adminUrl = await admin.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ listens: true, url, adminUrl })}\n`)
