import type { ComponentChildren } from 'preact'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { Icon } from '../icons/icon.tsx'
import { type Find, Picker } from '../picker.tsx'
import { useShortcut } from '../shortcuts.ts'
import { useQuery } from '../use-query.ts'
import { SavedViews } from './saved-views.tsx'
import { matching, type Source, SOURCES, type SourceName } from './sources.ts'

export type FilterField<Name extends string = string> = {
  name: Name
  label: string
  /** All that it can be, by value. */
  choices?: Readonly<Record<string, string>>
  /** What is offered while a person types; another text can be typed too. */
  from?: SourceName
  isNumber?: boolean
  placeholder?: string
}

type Props = { fields: readonly FilterField[]; children?: ComponentChildren }

/** What a list is limited to: a chip for each filter, and one button for another one. Every change is in the address at once. */
export function FilterBar({ fields, children }: Props) {
  const { query, change } = useQuery()
  const popover = useRef<HTMLDivElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  const id = useId()
  const [edited, setEdited] = useState<string>()
  const used = fields.filter(({ name }) => query[name])
  const remove = (names: readonly string[]) => {
    change(Object.fromEntries(names.map((name) => [name, undefined])))
    // The button that had the focus is gone.
    add.current?.focus()
  }
  useShortcut('f', () => add.current?.click())
  return (
    <search class="filters">
      {children}
      {used.length > 0 && (
        <ul class="chips" aria-label="Filters in use">
          {used.map((field) => (
            <Chip
              key={field.name}
              {...{ field, value: query[field.name]!, popover: id }}
              onEdit={() => setEdited(field.name)}
              onRemove={() => remove([field.name])}
            />
          ))}
        </ul>
      )}
      <button ref={add} type="button" popovertarget={id} onClick={() => setEdited(undefined)}>
        <Icon name="add" /> Filter
      </button>
      {used.length > 1 && (
        <button type="button" class="link" onClick={() => remove(used.map(({ name }) => name))}>
          Clear all
        </button>
      )}
      <SavedViews />
      <div ref={popover} id={id} popover="auto" class="at-start">
        <Editor {...{ fields, edited, popover }} onField={setEdited} />
      </div>
    </search>
  )
}

type ChipProps = { field: FilterField; value: string; popover: string; onEdit: () => void; onRemove: () => void }

function Chip({ field, value, popover, onEdit, onRemove }: ChipProps) {
  const { label, choices } = field
  const name = useName(field, value)
  return (
    <li class="chip">
      <button type="button" class="quiet" popovertarget={popover} onClick={onEdit} title={value}>
        {label}: {choices?.[value] ?? name ?? value}
      </button>
      <button type="button" class="quiet" aria-label={`Remove filter ${label}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  )
}

/** The address has the id of a key, and people know its name. */
function useName({ from }: FilterField, value: string): string | undefined {
  const [known, setKnown] = useState<{ value: string; name: string | undefined }>()
  useEffect(() => {
    const source: Source | undefined = from && SOURCES[from]
    // One that is gone, or that the person may not see, has no name.
    source?.nameOf?.(value).then(
      (name) => setKnown({ value, name }),
      () => undefined,
    )
  }, [from, value])
  return known?.value === value ? known.name : undefined
}

type EditorProps = {
  fields: readonly FilterField[]
  edited: string | undefined
  popover: { current: HTMLDivElement | null }
  onField: (name: string) => void
}

/** First what is filtered by, then its value. */
function Editor({ fields, edited, popover, onField }: EditorProps) {
  const { change } = useQuery()
  const isOpen = useIsOpen(popover)
  const field = fields.find(({ name }) => name === edited)
  const find = useMemo(() => (field ? findFor(field) : findField(fields)), [field, fields])
  if (!isOpen) return null
  if (!field)
    return (
      <Picker key="" label="Filter by" placeholder="Filter by…" find={find} onPick={({ value }) => onField(value)} />
    )
  const set = (value: string) => {
    popover.current?.hidePopover()
    change({ [field.name]: value })
  }
  return (
    <Picker
      key={field.name}
      label={field.label}
      placeholder={field.placeholder ?? field.label}
      find={find}
      isFree={!field.choices && !field.isNumber}
      onPick={({ value }) => set(value)}
    />
  )
}

/** What is in a closed popover asks for nothing. */
function useIsOpen(popover: { current: HTMLElement | null }): boolean {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const element = popover.current!
    const toggled = (event: Event) => setOpen((event as ToggleEvent).newState === 'open')
    element.addEventListener('beforetoggle', toggled)
    return () => element.removeEventListener('beforetoggle', toggled)
  }, [popover])
  return isOpen
}

function findField(fields: readonly FilterField[]): Find {
  const options = fields.map(({ name, label }) => ({ value: name, title: label }))
  return (text) => matching(options, text)
}

function findFor({ choices, from, isNumber }: FilterField): Find {
  if (choices) {
    const options = Object.entries(choices).map(([value, title]) => ({ value, title }))
    return (text) => matching(options, text)
  }
  if (isNumber) return (text) => (text !== '' && Number(text) >= 0 ? [{ value: text, title: text }] : [])
  return from ? SOURCES[from].open() : () => []
}
