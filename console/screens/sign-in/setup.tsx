import type { MIN_PASSWORD_CHARS } from '../../../src/contract/admin/person-fields.ts'
import { AccountForm, type AccountField } from './account-form.tsx'
import { Entrance } from './entrance.tsx'
import { takeToken } from './setup-token.ts'

const ACCEPT = '/admin/invitations/accept'
const MIN_CHARS: typeof MIN_PASSWORD_CHARS = 12
const EMAIL: AccountField = { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username' }
const REST: readonly AccountField[] = [
  { name: 'name', label: 'Name', type: 'text', autocomplete: 'name' },
  { name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password', minLength: MIN_CHARS },
]

const link = location.pathname === '/setup' ? takeToken() : undefined

/** The first owner, and everybody who was invited: both come with a link that has a token. */
export function Setup() {
  if (!link) return <NoToken />
  const { token, isInvitation } = link
  const path = isInvitation ? ACCEPT : '/admin/setup'
  return (
    <Entrance title="Set up your account">
      <p>
        {isInvitation
          ? 'You were invited to this gateway. Choose a name and a password.'
          : 'You become the owner of this gateway. Other people are invited from the console.'}
      </p>
      <AccountForm
        title="Set up your account"
        fields={isInvitation ? REST : [EMAIL, ...REST]}
        path={path}
        extra={{ token }}
        next="/"
      />
      {isInvitation && <AcceptSignedIn token={token} />}
    </Entrance>
  )
}

/** A person who has an account keeps its name and password, and only gets the role. */
function AcceptSignedIn({ token }: { token: string }) {
  return (
    <details>
      <summary>Already have an account?</summary>
      <p>Sign in with it in another tab, then accept the invitation with that account.</p>
      <AccountForm title="Accept with my current account" fields={[]} path={ACCEPT} extra={{ token }} next="/" />
    </details>
  )
}

function NoToken() {
  return (
    <Entrance title="Set up your account">
      <p>This link is incomplete: the part after # is missing.</p>
      <p>
        The first start of the gateway prints a setup link, and every invitation has one. If you have an account,{' '}
        <a href="/sign-in">sign in</a>.
      </p>
    </Entrance>
  )
}
