import { useLocation } from 'preact-iso/router'
import { useMemo } from 'preact/hooks'
import { getJson, pathWith } from '../api/client.ts'
import { may } from '../api/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { findKeys, lookedBackFrom, matching, openPeople, openProjects } from '../parts/filters/sources.ts'
import { type Find, type Option, Picker } from '../parts/picker.tsx'
import type { Screen } from './screens.ts'

type Props = { screens: readonly Screen[]; onClose: () => void }

/** One text that finds screens, requests by their id, keys, projects, people and models, and opens them. */
export function FindAnything({ screens, onClose }: Props) {
  const { route } = useLocation()
  const find = useMemo(() => findIn(screens), [screens])
  const open = ({ value }: Option) => {
    onClose()
    route(value)
  }
  return (
    <Dialog title="Find" onClose={onClose}>
      <Picker label="Find" placeholder="Screen, request id, key, project, person, model" find={find} onPick={open} />
    </Dialog>
  )
}

const MOST_OF_A_KIND = 6

/** The value of each option is its address. */
function findIn(screens: readonly Screen[]): Find {
  const ofScreens = screens.map(({ path, title }) => ({ value: path, title, hint: 'screen' }))
  const kinds = kindsFor()
  return async (text, signal) => {
    const found = matching(ofScreens, text)
    if (text === '') return found
    // A kind that cannot be asked for now does not hide the others.
    const answers = await Promise.allSettled(kinds.map((kind) => kind(text, signal)))
    return [...found, ...answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))]
  }
}

/** Only what the person may see is asked for. */
function kindsFor(): readonly Find[] {
  return [
    ...(may('usage.read') ? [findRequests] : []),
    ...(may('keys.read') ? [linked(findKeys, 'key', (key) => pathWith('/keys', { key }))] : []),
    ...(may('projects.read')
      ? [linked(openProjects(), 'project', (project) => pathWith('/projects', { project }))]
      : []),
    ...(may('users.read') && may('members.read')
      ? [linked(openPeople(), 'person', (user) => pathWith('/projects', { view: 'people', user }))]
      : []),
    ...(may('projects.read') ? [findModels] : []),
  ]
}

function linked(find: Find, kind: string, pathOf: (value: string) => string): Find {
  return async (text, signal) =>
    (await find(text, signal))
      .slice(0, MOST_OF_A_KIND)
      .map(({ value, title }) => ({ value: pathOf(value), title, hint: kind }))
}

const findRequests: Find = async (id, signal) => {
  const { items } = await getJson('/admin/requests', { id, from: lookedBackFrom(), limit: MOST_OF_A_KIND }, signal)
  return items.map((line) => ({ value: pathWith('/requests', { call: line.id }), title: line.id, hint: 'request' }))
}

/** Those that can be called first: many providers have models of the same name. */
const findModels: Find = async (name, signal) => {
  const { items } = await getJson('/admin/models', { name, order: 'popular', limit: MOST_OF_A_KIND }, signal)
  return items.map(({ id }) => ({ value: pathWith('/models', { model: id }), title: id, hint: 'model' }))
}
