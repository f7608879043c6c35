import { audited } from '../audit/audited.ts'
import type { AccountLink } from '../../contract/admin/members.ts'
import { problem } from '../../contract/problems.ts'
import { accountLinkInsertion, isClosed } from '../../platform/store/people/account-links.ts'
import { changeableUser } from './manage-users.ts'
import { isoOf, type PeopleServices } from './people-services.ts'
import { newSecret } from './secret.ts'
import { HOUR_MS } from '../../base/units/units.ts'

const HOURS = 72

/**
 * A link with which a person sets the first password of an account that exists, such as one that was imported. Only an actor
 * who may change the account may make one, because its maker could use it too. `link` makes the address, with the token
 * behind its `#`.
 */
export async function makeAccountLink(
  id: string,
  link: (token: string) => string,
  people: PeopleServices,
): Promise<AccountLink> {
  const { db, author, now } = people
  const user = await changeableUser(id, people)
  if (!isClosed(user)) throw isOpen()
  const { secret: token, digest } = newSecret()
  const createdAt = now()
  const expiresAt = createdAt + HOURS * HOUR_MS
  const event = { action: 'user.invite', object: `user:${id}`, after: { email: user.email } }
  const statements = accountLinkInsertion({ userId: id, digest, madeBy: author.actor, createdAt, expiresAt })
  await audited(db, author, event).transaction(statements)
  return { user: id, email: user.email ?? '', expires_at: isoOf(expiresAt), token, url: link(token) }
}

function isOpen() {
  const message =
    'Only a person who cannot sign in yet gets such a link. This one has a password or an identity of a provider, is disabled, or ' +
    'is a service account.'
  return problem('conflict', { message })
}
