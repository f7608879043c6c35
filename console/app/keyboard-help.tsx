import { Dialog } from '../parts/dialog.tsx'
import { areSingleKeysOn, turnSingleKeys } from '../parts/shortcuts.ts'

const KEYS: Readonly<Record<string, readonly [keys: string, what: string][]>> = {
  Everywhere: [
    ['Ctrl K, ⌘ K', 'Find a screen, request id, key, project, person or model'],
    ['?', 'Show keyboard shortcuts'],
    ['Tab, then Enter', 'Skip the menu at the top of a page'],
  ],
  Lists: [
    ['F', 'Filter'],
    ['Enter', 'Open the focused row, or sort by the focused column'],
    ['↑ ↓ Enter', 'Choose a result'],
  ],
  'Open row': [
    ['J', 'Next row'],
    ['K', 'Previous row'],
    ['Escape', 'Close'],
  ],
  Playground: [
    ['Enter', 'Send the message'],
    ['Shift Enter', 'Start a new line in the message'],
    ['Ctrl Enter, ⌘ Enter', 'Submit the form for images, speech or tasks'],
    ['Escape', 'Stop the answers'],
  ],
}

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {Object.entries(KEYS).map(([place, keys]) => (
        <section key={place}>
          <h3>{place}</h3>
          <dl class="keys">
            {keys.map(([names, what]) => (
              <div key={names}>
                <dt>
                  <kbd>{names}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={areSingleKeysOn.value}
          onChange={(event) => turnSingleKeys(event.currentTarget.checked)}
        />
        Enable single-key shortcuts (F, J, K, ?)
      </label>
    </Dialog>
  )
}
