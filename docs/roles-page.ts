import { ADMIN_ROUTES } from '../src/http/routes/admin-routes.ts'
import { ROLES } from '../src/contract/admin/roles.ts'
import { PERMISSION_NAMES, rowOf } from '../src/tenants/people/roles.ts'
import { code, table } from './markdown.ts'

/** The text of docs/roles.md. test/e2e/people/roles.test.ts reads both tables and tries routes with roles, all of them under `npm run test:roles`. */
export function rolesPage(): string {
  return [HEAD, '## Roles\n', ROLES_TEXT, permissions(), '## Routes\n', ROUTES_TEXT, routes(), TAIL].join('\n')
}

function permissions(): string {
  const rows = PERMISSION_NAMES.map((permission) => {
    const { about, level, roles } = rowOf(permission)
    return [code(permission), about, level, ...ROLES.map((role) => roles[role] ?? '–')]
  })
  return table(['permission', 'what it allows', 'level', ...ROLES], rows)
}

function routes(): string {
  const rows = ADMIN_ROUTES.map(({ method, path, access, permission }) => {
    return [code(`${method} ${path}`), access === 'admin' ? code(permission) : 'open']
  })
  return table(['route', 'permission'], rows)
}

const HEAD = `# Roles and permissions

Written from the code by \`npm run docs\`. [People](people.md) says how to invite people and give them roles.
`

const ROLES_TEXT = `A role holds where it was given: on an organization, for everything of that organization; on a project, for what belongs to the
project. \`all\` means everything there, \`own\` what belongs to the user: own keys, and what was done with them. Permissions with the
level \`organization\` need a role on the organization, those with the level \`installation\` one on the organization \`default\`.

- You cannot give, change or take a role that can do more than your own, or change a user who has such a role. The same holds for a
  role that stands above your own, in the order owner, admin, manager, member: a manager makes no owner of a project,
  and an admin neither makes nor removes an owner.
- The last owner of an organization who can sign in cannot be removed, disabled, deleted or demoted, also if two try at once.
- Requests name the fields that they may change, and everything else is refused: with \`own\`, a key cannot get another \`user\`,
  \`owner\` or \`policy\`.
- An object that you may not see is answered as if it did not exist (404); one that you may see and not change is answered with 403, which is in
  the audit log.
- With \`content.read\`, managers see the contents of requests, jobs and webhooks only if the project has
  \`managers_read\` ([contents](contents.md#who-may-read-it)).
- Reading the audit log is for owners, admins and auditors, exporting it for owners and auditors. So only an owner makes auditors.
`

const ROUTES_TEXT = `Every route of the admin listener names its permission; without one, the program does not compile. \`self\` is for everybody who
is known. \`GET /admin/me\` says what the asker may do.
`

const TAIL = `\`/metrics\` and \`/health\` are open, because scrapers send no key; they have names of models and ids of limits, and no other text. Keep the admin listener on
loopback or inside of your network.
`
