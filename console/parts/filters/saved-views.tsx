import { useLocation } from 'preact-iso/router'
import { useId, useRef, useState } from 'preact/hooks'
import { Icon } from '../icons/icon.tsx'

type View = { name: string; search: string }

/** Addresses of this screen under names, kept in this browser. Each is a link, so it can be sent as well. */
export function SavedViews() {
  const { path, url } = useLocation()
  const id = useId()
  const popover = useRef<HTMLDivElement>(null)
  const [round, setRound] = useState(0)
  const views = storedViews(path)
  const keep = (next: readonly View[]) => {
    localStorage.setItem(`views:${path}`, JSON.stringify(next))
    setRound(round + 1)
  }
  const remove = (name: string) => keep(views.filter((one) => one.name !== name))
  const save = (name: string) => {
    const search = url.includes('?') ? url.slice(url.indexOf('?')) : ''
    keep([...views.filter((one) => one.name !== name), { name, search }])
  }
  return (
    <>
      <button type="button" popovertarget={id}>
        <Icon name="views" /> Views
      </button>
      <div ref={popover} id={id} popover="auto" class="at-start views">
        <ul aria-label="Saved views">
          {views.map(({ name, search }) => (
            <li key={name}>
              <a href={path + search} onClick={() => popover.current?.hidePopover()}>
                {name}
              </a>
              <button type="button" class="quiet small" aria-label={`Remove view ${name}`} onClick={() => remove(name)}>
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
        {views.length === 0 && (
          <p class="faint">Save the filters, time, order and columns of this screen under a name.</p>
        )}
        <SaveView onSave={save} />
      </div>
    </>
  )
}

function SaveView({ onSave }: { onSave: (name: string) => void }) {
  const [name, setName] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    onSave(name.trim())
    setName('')
  }
  return (
    <form class="actions" onSubmit={submit}>
      <input
        aria-label="Name of this view"
        placeholder="Name of this view"
        value={name}
        maxLength={60}
        required
        pattern=".*\S.*"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit">Save</button>
    </form>
  )
}

/** What is stored may be of another version, or be broken. */
function storedViews(path: string): readonly View[] {
  try {
    const views: unknown = JSON.parse(localStorage.getItem(`views:${path}`) ?? '[]')
    return Array.isArray(views) ? views.filter(isView) : []
  } catch {
    return []
  }
}

function isView(view: unknown): view is View {
  if (typeof view !== 'object' || view === null || !('name' in view) || !('search' in view)) return false
  return typeof view.name === 'string' && typeof view.search === 'string' && /^(\?|$)/.test(view.search)
}
