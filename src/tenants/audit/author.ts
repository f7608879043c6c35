/** Who does something, and where it comes from. Every change names its author. */
export type Author = {
  /** `user:<id>`, `service:<id>`, `management_key:<id>`, `admin_key`, `provider:<name>`, `anonymous` and others: docs/audit.md has all of them. */
  actor: string
  via: Via
  ip: string | null
  /** The id of the request. */
  request: string | null
}

/** How the author proved to be the author, or where the change was made. */
export type Via =
  | 'admin_key'
  | 'session'
  | 'token'
  | 'management_key'
  | 'password'
  | 'setup'
  | 'invitation'
  | 'sso'
  | 'agent'
  | 'cli'
  | 'reload'
  | 'start'
  | 'background'
  | 'alerts'

/** What was done, without secrets. `object` names its kind: `key:<id>`. */
export type AuditEvent = {
  /** `key.create`, `sign_in.fail`. */
  action: string
  object: string
  /** Only the fields that have changed. */
  before?: Readonly<Record<string, unknown>> | null
  after?: Readonly<Record<string, unknown>> | null
}

/** The command line on the machine itself. */
export const CLI: Author = { actor: 'cli', via: 'cli', ip: null, request: null }
/** The program itself, when it starts. */
export const START: Author = { actor: 'start', via: 'start', ip: null, request: null }
/** The program itself, when it finds something that operators have to know. */
export const ALERTS: Author = { actor: 'alerts', via: 'alerts', ip: null, request: null }
/** A reload of the config file that no request asked for. */
export const RELOAD: Author = { actor: 'config', via: 'reload', ip: null, request: null }
/** The program itself, at work that no request asked for: catalogs from CATALOG_URL, what is older than its retention. */
export const GATEWAY: Author = { actor: 'gateway', via: 'background', ip: null, request: null }
