import { ADMIN_ROUTES } from '../src/http/routes/admin-routes.ts'
import { ROLES } from '../src/contract/admin/roles.ts'
import { PERMISSION_NAMES, rowOf } from '../src/tenants/people/roles.ts'
import { code, table } from './markdown.ts'

/** The text of docs/people.md. test/e2e/people/roles.test.ts reads both tables and tries routes with roles, all of them under `npm run test:roles`. */
export function peoplePage(): string {
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

const HEAD = `# People: sign-in, roles, tokens

Written from the code by \`npm run docs\`.

An organization has projects, and people and service accounts have roles on an organization or on a project. Everything here is
about the admin listener; callers of the API have keys, and a session or an admin token is never an API key.

## Organizations

Most installations have one organization, \`default\`, and need not think about it. A department or a customer that runs its own
projects and people gets another one with \`POST /admin/organizations\`:

- A role on an organization reaches nothing of another one: no project, key, user, budget, usage, job, and no name of them. That holds
  for the owners of \`default\`, too. The person who creates an organization is its first owner; one that an admin key has created
  has no owner until the admin key invites one (\`POST /admin/invitations {"email":…,"role":"owner","organization":…}\`).
- \`default\` runs the installation: what belongs to no organization (configuration, aliases, credentials, limits for all callers, the
  audit log, identities that wait for confirmation) needs a role on it. Admin keys and the command line have the rights of an owner
  everywhere.
- A user belongs to one organization, and may have roles in others. Only a person who could give each of these roles can change or disable the user.
- A project that goes to another organization takes its keys, members and limits along. People who had a role on the former
  organization only lose their keys in it. What was spent before stays in the reports of the former organization, and so do the
  contents that were kept of those calls; a role on the project does not reach them any more.
- An e-mail address is that of one account in the installation, so a person who creates accounts learns that an address is taken.
- Roles on a project end with the project, roles on an organization with the organization.

## The first owner

As long as no owner of \`default\` can sign in, every start prints a link such as \`http://127.0.0.1:8081/setup#…\`. It works once, for an hour. The
token is behind the \`#\`, so it is in no log of a server or a proxy; the gateway stores its digest only. \`ADMIN_URL\` is respected.
There is no default password, and nothing is open because a setting is missing.

\`gatehouse users create --email ADDRESS --role owner\` does the same on the machine itself, and is the way back in:

\`\`\`sh
gatehouse users create --email ada@example.com --name Ada --role owner   # prints a random password once
gatehouse users reset-password ada@example.com                           # ends all sessions
gatehouse users disable ada@example.com
gatehouse users list
gatehouse users invite                                                   # who has an account and no way in; --all makes links
\`\`\`

## Signing in

\`POST /admin/sessions\` with an e-mail address and a password opens a session; the page is at \`/sign-in\`.

- The token is in the cookie \`__Host-gatehouse\` (\`Secure; HttpOnly; SameSite=Strict; Path=/\`). On a listener that only this machine
  can reach, without TLS, it is called \`gatehouse\` and has no \`Secure\`. The store has its SHA-256 only.
- A session ends after 12 hours without a request, and after 7 days in any case. \`GET /admin/sessions\` lists yours,
  \`DELETE /admin/sessions/{id}\` ends one, in all processes at once: every request asks the store.
- Every sign-in has a new token. A change of a person's rights or password ends all of the person's sessions.
  A role that gives nothing new where it is held, such as ${code('member')} of a project for an owner of its organization, ends none when it comes, changes or goes.
- Passwords have at least 12 characters and are stored as argon2id (19 MiB, 2 passes; scrypt 2^15 where Node has no argon2), two
  at once at most.
- Attempts are counted in the store for all processes. An address (an IPv6 network of 64 bits) may fail 30 times at once and then every 10
  seconds; at one account, 10 times and then once a minute. So an attacker who tries passwords at one address locks no person out at another. All addresses
  together may fail 100 times at an account and then every 15 seconds, except addresses from which the person has signed in within
  30 days. Behind a proxy, set \`TRUSTED_PROXIES\`: otherwise everybody has the address of the proxy. An account that does not exist costs
  the same work and gets the same answer. The way back in is on the machine: \`gatehouse users reset-password\` forgets what was
  counted for the account, and for an hour the limit of all addresses together does not hold for it. Open sessions are not affected.
- Pages of other sites can do nothing: \`SameSite=Strict\`, JSON only, \`Origin\` and \`Sec-Fetch-Site\` have to be our own, \`Host\` has to be
  an address, \`localhost\` or one of \`ADMIN_HOSTS\`, and the admin listener has no CORS.

## Invitations

\`POST /admin/invitations\` answers with a link for one e-mail address, a role and a project; send it to the person. It works once,
for 72 hours unless you say otherwise, and only as long as its maker (a person, a service account or an admin key) could still give that role there. A person who has an account with that address has to sign in first: the link alone never opens an existing account.

People who have an account and no way in, such as [imported](migration.md#litellm) ones, set their first password with a link of
\`POST /admin/users/{id}/invitation\` or \`gatehouse users invite\`. It works once, for 72 hours, and only as long as its maker could change the account, so an admin cannot get a higher role with it. A user with a password or an identity of a provider gets no such link.

## Service accounts

\`POST /admin/users {"kind":"service","name":…,"role":…}\` makes an account that cannot sign in. \`POST /admin/users/{id}/tokens\`
makes a token for it (\`gate_token_…\`, shown once, with an expiry if you like), which is sent as \`Authorization: Bearer\`. It has the
roles of the account.

## The admin key

\`GATEHOUSE_ADMIN_KEY\`, and admin keys of \`gatehouse keys create --kind admin\`, have the rights of an owner of every organization. In the audit log they
are \`admin_key\`. \`ADMIN_KEY_ACCESS=off\` refuses them as soon as there is an owner of \`default\` who can sign in; before that it changes nothing.

## Keys of persons

A member creates keys in the project: they name the user, and end with the membership. Removing a member, disabling or deleting a
user revokes those keys, in all processes within five seconds. A user who is enabled again needs new keys. What a
person has stored in the playground of a project whose keys do not share is deleted with the person.

A person who is shown the secret of a key can read what the key has stored. So managers can revoke every key of their project, and create
and rotate keys of others only if no secret opens more than they may read, and its user does not stand above them:

- Where keys share (\`share: project\`), every key of the project opens the same files, jobs and responses.
- Where they do not (\`share: key\`), each key opens its own, and managers need \`managers_read\` of the project. Without it, a person
  creates and rotates the own keys, or an owner or admin does.
- Giving a key to another user, moving it to another project and recording its next requests need the same right.
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
