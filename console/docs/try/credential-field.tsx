import { TextField } from '../../parts/fields.tsx'
import { isAdmin } from '../read/page-facts.ts'
import { key, usesSession } from './credentials.ts'

/** A form cannot be sent with a session. */
export function CredentialField({ isForm }: { isForm: boolean }) {
  const isSession = usesSession.value && !isForm
  return (
    <fieldset class="credentials">
      <legend class={isAdmin ? '' : 'sr-only'}>{isAdmin ? 'Send as' : 'Your key'}</legend>
      {isAdmin && !isForm && <Ways />}
      {!isSession && (
        <>
          <TextField
            label={isAdmin ? 'Admin key or token' : 'API key'}
            type="password"
            autoComplete="off"
            placeholder={isAdmin ? 'gate_admin_…' : 'gate_live_…'}
            value={key.value}
            set={(text) => (key.value = text)}
          />
          <small>
            Stays in the memory of this page until you reload it.
            {!isAdmin && ' A sandbox key gets free, simulated answers from every model.'}
          </small>
        </>
      )}
    </fieldset>
  )
}

function Ways() {
  return (
    <div class="checks">
      <label class="check">
        <input type="radio" name="as" checked={usesSession.value} onChange={() => (usesSession.value = true)} />
        your session in the <a href="sign-in?next=/docs">console</a>
      </label>
      <label class="check">
        <input type="radio" name="as" checked={!usesSession.value} onChange={() => (usesSession.value = false)} />a key
      </label>
    </div>
  )
}
