import { Dialog } from '../parts/dialog.tsx'
import { areSingleKeysOn, turnSingleKeys } from '../parts/shortcuts.ts'

const KEYS: Readonly<Record<string, readonly [keys: string, what: string][]>> = {
  Everywhere: [
    ['Ctrl K, ⌘ K', 'Find a screen, a request by its id, a key, project, person or model'],
    ['?', 'This page'],
    ['Tab, then Enter', 'Skip the menu, at the beginning of a page'],
  ],
  Lists: [
    ['F', 'Filter'],
    ['Enter', 'On the first cell of a row: open it. On the head of a column: sort by it'],
    ['↑ ↓ Enter', 'Choose and take what a filter or the search has found'],
  ],
  'What is open': [
    ['J', 'Next row'],
    ['K', 'Previous row'],
    ['Escape', 'Close'],
  ],
  Playground: [
    ['Enter', 'Send the message. Shift Enter: begin another line'],
    ['Ctrl Enter, ⌘ Enter', 'Send the form of an image, a speech or a task'],
    ['Escape', 'In the message: stop the answers'],
  ],
}

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
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
        Keys without Ctrl (F, J, K, ?) do something
      </label>
    </Dialog>
  )
}
