import { useState } from 'preact/hooks'
import { Icon } from '../icons/icon.tsx'
import { useQuery } from '../use-query.ts'
import type { Column } from './column.ts'

/** The columns of a list: those of the address, such as of a saved view, or what the person has chosen in this browser. */
export function useColumns<Row>(list: string, all: readonly Column<Row>[]) {
  const { query, change } = useQuery()
  const [own, setOwn] = useState<readonly string[]>(() => stored(list) ?? usual(all))
  const named = query.columns?.split(',').filter((name) => all.some((column) => column.name === name))
  const chosen = named && named.length > 0 ? named : own
  const choose = (names: readonly string[]) => {
    localStorage.setItem(`columns:${list}`, JSON.stringify(names))
    setOwn(names)
    change({ columns: names.join(',') }, true)
  }
  const shown = all.filter(({ name }) => chosen.includes(name))
  const isOwn = chosen.join() !== usual(all).join()
  // What a person has chosen is not hidden on a small window.
  return { columns: isOwn ? shown.map((column) => ({ ...column, isMinor: false })) : shown, chosen, choose, all }
}

function usual<Row>(all: readonly Column<Row>[]): string[] {
  return all.filter(({ isExtra }) => !isExtra).map(({ name }) => name)
}

/** What is stored may be of another version, or be broken. */
function stored(list: string): string[] | undefined {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(`columns:${list}`) ?? '')
    return Array.isArray(names) && names.length > 0 ? names.map(String) : undefined
  } catch {
    return undefined
  }
}

type Props<Row> = Omit<ReturnType<typeof useColumns<Row>>, 'columns'>

export function ColumnChoice<Row>({ all, chosen, choose }: Props<Row>) {
  const toggle = (name: string) =>
    choose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name])
  return (
    <div class="popover-anchor">
      <button type="button" popovertarget="columns">
        <Icon name="columns" /> Columns
      </button>
      <div id="columns" popover="auto">
        <p class="menu-title" id="columns-title">
          Columns
        </p>
        {/* biome-ignore lint/a11y/useSemanticElements: the legend of a fieldset would stand on the border of the box */}
        <div role="group" aria-labelledby="columns-title" class="column-list">
          {all.map(({ name, title }) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                disabled={chosen.length === 1 && chosen.includes(name)}
                onChange={() => toggle(name)}
              />
              {title}
            </label>
          ))}
          <button type="button" class="small" onClick={() => choose(usual(all))}>
            Reset
          </button>
        </div>
      </div>
    </div>
  )
}
