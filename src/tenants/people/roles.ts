import { ROLES, type Role } from '../../contract/admin/roles.ts'

// Which role may do what, as data. docs/roles.md shows this table, and a test compares both.

/** Whether a role may do something with everything where it is held, or only with the person's own things. */
export type Extent = 'all' | 'own'

type PermissionRow = {
  about: string
  /**
   * `organization`: only a role on the organization grants it, because what it is about belongs to no project. `installation`: only
   * a role on the organization `default` does, because what it is about belongs to no organization.
   */
  level: 'installation' | 'organization' | 'project'
  roles: Partial<Record<Role, Extent>>
}

const OPERATORS = { owner: 'all', admin: 'all' } as const
const PROJECT_LEADS = { ...OPERATORS, manager: 'all' } as const
const EVERYONE_OWN = { ...PROJECT_LEADS, member: 'own' } as const

const PERMISSIONS = {
  'organizations.create': row('create organizations', 'installation', OPERATORS),
  'organization.read': row('see the organization', 'organization', { ...OPERATORS, auditor: 'all', billing: 'all' }),
  'organization.write': row('change and delete the organization', 'organization', OPERATORS),
  'projects.read': row('see projects', 'project', {
    ...PROJECT_LEADS,
    member: 'all',
    auditor: 'all',
    billing: 'all',
  }),
  'projects.create': row('create and delete projects', 'organization', OPERATORS),
  'projects.write': row('change a project', 'project', PROJECT_LEADS),
  'users.read': row('see users', 'project', { ...PROJECT_LEADS, auditor: 'all' }),
  'users.write': row('create, change, disable and delete users and service accounts', 'organization', OPERATORS),
  'members.read': row('see who is a member of what, and invitations', 'project', { ...PROJECT_LEADS, auditor: 'all' }),
  'members.write': row('invite, add and remove members, change their roles', 'project', PROJECT_LEADS),
  'identities.confirm': row('confirm which user an identity of a provider belongs to', 'installation', OPERATORS),
  'config.read': row(
    'see the configuration, aliases, credentials (masked), targets; explain',
    'installation',
    OPERATORS,
  ),
  'config.write': row('change aliases, credentials, the catalog; reload the configuration', 'installation', OPERATORS),
  'limits.read': row('see budgets and rate limits', 'project', { ...EVERYONE_OWN, billing: 'all' }),
  'limits.write': row('change budgets and rate limits', 'project', EVERYONE_OWN),
  'guardrails.read': row('see guardrails', 'project', { ...PROJECT_LEADS, auditor: 'all' }),
  'guardrails.write': row('change guardrails', 'project', PROJECT_LEADS),
  'keys.read': row('see keys', 'project', EVERYONE_OWN),
  'keys.write': row('create, change, rotate and revoke keys', 'project', EVERYONE_OWN),
  'usage.read': row('see usage and the request log, without contents', 'project', {
    ...EVERYONE_OWN,
    auditor: 'all',
    billing: 'all',
  }),
  'content.read': row('see the contents of logged requests, jobs and webhooks', 'project', EVERYONE_OWN),
  'jobs.read': row('see jobs, batches and webhooks', 'project', { ...EVERYONE_OWN, auditor: 'all' }),
  'jobs.write': row('cancel, retry and delete jobs, cancel batches, send webhooks again', 'project', EVERYONE_OWN),
  'alerts.read': row('see alerts, their rules and receivers (masked)', 'installation', {
    ...OPERATORS,
    auditor: 'all',
    billing: 'all',
  }),
  'alerts.write': row('acknowledge alerts, send tests to receivers', 'installation', OPERATORS),
  'audit.read': row('read the audit log', 'installation', { ...OPERATORS, auditor: 'all' }),
  'audit.export': row('export the audit log', 'installation', { owner: 'all', auditor: 'all' }),
} as const satisfies Record<string, PermissionRow>

export type Permission = keyof typeof PERMISSIONS

/** Those that need no object: there is one installation. */
export type InstallationPermission = {
  [Name in Permission]: (typeof PERMISSIONS)[Name]['level'] extends 'installation' ? Name : never
}[Permission]

export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[]

export function rowOf(permission: Permission): PermissionRow {
  return PERMISSIONS[permission]
}

export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text)
}

function row<Level extends PermissionRow['level'], Roles extends PermissionRow['roles']>(
  about: string,
  level: Level,
  roles: Roles,
) {
  return { about, level, roles }
}
