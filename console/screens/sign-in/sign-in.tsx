import type { SignInOptions } from '../../../src/contract/admin/sign-in.ts'
import { pathWith } from '../../api/client.ts'
import { rememberNext, safeNext } from '../../api/next-path.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { AccountForm } from './account-form.tsx'
import { Entrance } from './entrance.tsx'

const FIELDS = [
  { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username' },
  { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
] as const

export function SignIn({ refusal = '' }) {
  const next = safeNext(new URLSearchParams(location.search).get('next'))
  const { value, error, reload } = useAnswer('/sign-in/providers')
  return (
    <Entrance title="Sign in" after={<FirstOwner />}>
      {refusal && (
        <p class="notice bad" role="alert">
          {refusal}
        </p>
      )}
      <Failure error={error} onRetry={reload} />
      {value ? <Ways options={value} next={next} /> : !error && <Loading what="the ways to sign in" />}
    </Entrance>
  )
}

function Ways({ options: { password, providers }, next }: { options: SignInOptions; next: string }) {
  return (
    <>
      {providers.length > 0 && (
        <ul class="providers">
          {providers.map(({ name, title, url }) => (
            <li key={name}>
              <a class="button" href={url} onClick={() => rememberNext(next)}>
                Sign in with {title}
              </a>
              <a
                class="other-account"
                href={pathWith(url, { choose_account: true })}
                onClick={() => rememberNext(next)}
              >
                Use another {title} account
              </a>
            </li>
          ))}
        </ul>
      )}
      {password && providers.length > 0 && <p class="or">or</p>}
      {password && <AccountForm title="Sign in" fields={FIELDS} path="/admin/sessions" next={next} />}
    </>
  )
}

/** An operator who opens the console for the first time has no account, and the admin key is no password. */
function FirstOwner() {
  return (
    <details>
      <summary>First time here?</summary>
      <p>
        The first start prints a link that creates the first owner. At any time, you can also create one on the machine
        of the gateway:
      </p>
      <pre>
        <code>gatehouse users create --email you@example.com --role owner</code>
      </pre>
      <p>The command prints the password. The admin key is for programs and cannot sign in here.</p>
    </details>
  )
}
