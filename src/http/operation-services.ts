import type { Author } from '../tenants/audit/author.ts'
import type { ConfigReport, LogLevel, ReloadReport } from '../contract/admin/config.ts'
import type { Database } from '../platform/store/database.ts'
import type { Opened } from '../platform/late.ts'
import type { OpenExports } from './export/open-exports.ts'

/** What operators ask a running process for. */
export type OperationServices = {
  db: Database
  /** A name for this process that no other process has. */
  processName: string
  /** This process among the others on the same store. */
  replica: Opened<{ peers(): readonly { id: string; role: string }[] }>
  /** If several processes serve requests, adds the metrics of the others to our own. */
  readMetrics(own: string): Promise<string>
  /** The metrics about the whole store, which no process adds to its own. */
  readSharedMetrics(): Promise<string>
  /** The configuration for operators: every value, and where processes differ. */
  describeConfig(): Promise<ConfigReport>
  /** Replaces the configuration of all processes of this gateway, or of none. Throws a ConfigError if it is not valid. */
  reloadConfig(author?: Author): Promise<ReloadReport>
  /** Changes the log level of all processes; null returns to that of the configuration. */
  changeLogLevel(level: LogLevel | null, author: Author): Promise<void>
  openExports: OpenExports
}
