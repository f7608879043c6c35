import { useState } from 'preact/hooks'
import type { OrganizationBody, ProjectBody } from '../../../src/contract/admin/projects.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { mayIn } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useSend } from '../../api/use-send.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { AreaField, SelectField } from '../../parts/fields.tsx'
import { Failure, Loading } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'

type Settings = ProjectBody['claude_code_settings']
type FormProps = { before: Settings; save: (settings: Settings) => Promise<unknown>; onSaved: () => void }

/** Managed settings as text, because Claude Code has more of them than a form could show. The API checks them. */
export function SettingsForm({ before, save, onSaved }: FormProps) {
  const [text, setText] = useState(before ? JSON.stringify(before, null, 2) : '')
  const { error, isSending, send } = useSend()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      await save(parsed(text))
      toast('Claude Code settings saved.')
      onSaved()
    })
  }
  return (
    <form class="stack" onSubmit={submit}>
      <p>
        Managed settings for people who sign in with Claude Code, as in <code>managed-settings.json</code>. Claude Code
        reads them at its start and every hour. They can name programs that run on the machines of these people.
      </p>
      <AreaField label="Settings, as JSON (none if empty)" rows={14} value={text} set={setText} placeholder={EXAMPLE} />
      <Failure error={error} />
      <button type="submit" class="primary" disabled={isSending}>
        Save settings
      </button>
    </form>
  )
}

const EXAMPLE = '{ "permissions": { "deny": ["Read(./.env)"] } }'

/** An empty text sets nothing. */
function parsed(text: string): Settings {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`This is not valid JSON: ${(error as Error).message}`)
  }
}

/** The settings of an organization, which hold in all of its projects. */
export function OrganizationSettings({ onClose }: { onClose: () => void }) {
  const { value, error, reload } = useAnswer('/admin/organizations', { limit: 1000 })
  const [chosen, setChosen] = useState<string>()
  const led = value?.items.filter(({ id }) => mayIn('organization.write', { organization: id })) ?? []
  const shown = led.find(({ id }) => id === chosen) ?? led[0]
  return (
    <Dialog title="Claude Code in all projects" onClose={onClose}>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="the organization" />}
      {led.length > 1 && (
        <SelectField label="Organization" value={shown?.id ?? ''} set={setChosen} choices={namesOf(led)} />
      )}
      {shown && (
        <SettingsForm
          key={shown.id}
          before={shown.claude_code_settings}
          save={(claude_code_settings) =>
            sendJson('PATCH', pathTo('/admin/organizations/{organization}', { organization: shown.id }), {
              claude_code_settings,
            })
          }
          onSaved={onClose}
        />
      )}
    </Dialog>
  )
}

function namesOf(organizations: readonly OrganizationBody[]): Record<string, string> {
  return Object.fromEntries(organizations.map(({ id, name }) => [id, name]))
}
