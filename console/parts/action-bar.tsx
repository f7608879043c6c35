import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icons/icon.tsx'

/** What a button of the bar does: something at once, or the form that it opens. */
export type Action = { title: string; icon: IconName; isDanger?: boolean } & (
  | { run: () => void }
  | { form: ComponentChildren }
)

type Props = { actions: readonly (Action | false)[]; links?: Readonly<Record<string, string>> }

/** The head of a drawer: where else to look, and what can be done with the thing. One form is open at a time. */
export function ActionBar({ actions, links = {} }: Props) {
  const [open, setOpen] = useState<string>()
  const offered = actions.filter((action) => action !== false)
  const chosen = offered.find(({ title }) => title === open)
  if (offered.length === 0 && Object.keys(links).length === 0) return null
  const press = (action: Action) =>
    'run' in action ? action.run() : setOpen(open === action.title ? undefined : action.title)
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: the group has no field, so it is no fieldset */}
      <div class="action-bar" role="group" aria-label="Actions">
        {Object.entries(links).map(([title, path]) => (
          <a key={title} class="button" href={path}>
            {title}
          </a>
        ))}
        {offered.map((action) => (
          <button
            key={action.title}
            type="button"
            class={action.isDanger ? 'danger' : ''}
            aria-expanded={'form' in action ? action.title === open : undefined}
            onClick={() => press(action)}
          >
            <Icon name={action.icon} /> {action.title}
          </button>
        ))}
      </div>
      {chosen && 'form' in chosen && <ActionForm key={chosen.title} title={chosen.title} form={chosen.form} />}
    </>
  )
}

/** The focus goes into the form, to its first field or button. When the form has done its work, it is at the title again. */
function ActionForm({ title, form }: { title: string; form: ComponentChildren }) {
  const box = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const section = box.current!
    section.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
    return () => {
      if (section.contains(document.activeElement)) queueMicrotask(focusTitle)
    }
  }, [])
  return (
    <section ref={box} class="action-form" aria-label={title}>
      {form}
    </section>
  )
}

function focusTitle(): void {
  document.querySelector<HTMLElement>('dialog[open] #dialog-title')?.focus()
}
