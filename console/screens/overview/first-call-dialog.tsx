import { newKey } from '../../api/new-key.ts'
import { pathWith } from '../../api/client.ts'
import { ArrivingCall } from '../../parts/arriving-call.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { chatCommand } from '../../parts/first-call.tsx'

type Props = { onClose: () => void; onArrived: () => void }

/** The command has the key that was made on this page, as long as the page has it in memory. */
export function FirstCallDialog({ onClose, onArrived }: Props) {
  const made = newKey.value
  const command = chatCommand('sandbox/echo')
  return (
    <Dialog title="Make your first call" onClose={onClose}>
      <div class="stack">
        {made ? (
          <p>
            The command has your new key <b>{made.name}</b>. Paste it into a terminal:
          </p>
        ) : (
          <p>
            Put a key into the variable, then run the command. No key at hand?{' '}
            <a href={pathWith('/keys', { new: 'key' })}>Create an API key</a>
          </p>
        )}
        <CodeBlock label="the command" text={made ? `export GATEHOUSE_API_KEY='${made.key}'\n${command}` : command} />
        <p class="faint">The model sandbox/echo is simulated: it needs no provider and costs nothing.</p>
        <ArrivingCall
          filter={made ? { project: made.project } : {}}
          {...{ what: 'your first request', onArrived }}
        />
      </div>
    </Dialog>
  )
}
