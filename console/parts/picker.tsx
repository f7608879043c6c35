import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

export type Option = {
  value: string
  title: string
  /** What else is said about it, such as of what kind it is. */
  hint?: string
  /** What is known about it, on a line of its own. */
  detail?: string
}
export type Find = (text: string, signal: AbortSignal) => readonly Option[] | Promise<readonly Option[]>

type Props = {
  label: string
  find: Find
  onPick: (option: Option) => void
  placeholder?: string | undefined
  /** What was typed can be picked as it is. */
  isFree?: boolean
}

/** While a person types, the gateway is asked at every pause. */
const PAUSE_MS = 120

/** A text that finds things: arrows choose one, Enter takes it. */
export function Picker({ label, find, onPick, placeholder, isFree = false }: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const [isWaiting, setWaiting] = useState(false)
  const { options, isLoading } = useOptions(find, text)
  const shown = withTyped(options, text.trim(), isFree && !isLoading)
  useLayoutEffect(() => input.current?.focus(), [])
  useLayoutEffect(() => setActive(0), [text])
  const pick = (option: Option | undefined) => option && onPick(option)
  // What is shown may still be that of a shorter text: Enter takes what the whole text finds.
  useEffect(() => {
    if (!isWaiting || isLoading) return
    setWaiting(false)
    pick(shown[0])
  }, [isWaiting, isLoading])
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && shown.length > 0) setActive((before) => (before + step + shown.length) % shown.length)
    else if (event.key !== 'Enter' || event.isComposing) return
    else if (isLoading) setWaiting(true)
    else pick(shown[active])
    event.preventDefault()
  }
  return (
    <div class="picker">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={shown[active] && `${id}-${active}`}
        autocomplete="off"
        autofocus
        placeholder={placeholder}
        value={text}
        onInput={(event) => {
          setWaiting(false)
          setText(event.currentTarget.value)
        }}
        onKeyDown={pressed}
      />
      <Options {...{ id, label, shown, active, isLoading }} onPick={pick} />
      <small role="status">{isLoading ? 'Searching…' : shown.length === 0 ? nothing(text, isFree) : ''}</small>
    </div>
  )
}

function nothing(text: string, isFree: boolean): string {
  return isFree && text.trim() === '' ? 'Type a value, then press Enter' : 'Nothing found'
}

type ListProps = {
  id: string
  label: string
  shown: readonly Option[]
  active: number
  isLoading: boolean
  onPick: (option: Option) => void
}

function Options({ id, label, shown, active, isLoading, onPick }: ListProps) {
  const chosen = useRef<HTMLDivElement>(null)
  useEffect(() => chosen.current?.scrollIntoView({ block: 'nearest' }))
  return (
    // The focus stays in the text, which says which one is active.
    <div id={`${id}-list`} role="listbox" aria-label={label} aria-busy={isLoading}>
      {shown.map((option, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are handled by the text
        <div
          key={`${option.hint} ${option.value}`}
          ref={at === active ? chosen : undefined}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === active}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPick(option)}
        >
          <span>{option.title}</span>
          {option.hint && <small>{option.hint}</small>}
          {option.detail && <small class="detail">{option.detail}</small>}
        </div>
      ))}
    </div>
  )
}

function withTyped(options: readonly Option[], text: string, isFree: boolean): readonly Option[] {
  if (!isFree || text === '' || options.some(({ value, title }) => value === text || title === text)) return options
  return [...options, { value: text, title: text, hint: 'as typed' }]
}

type Found = { options: readonly Option[]; of: string | undefined }

function useOptions(find: Find, text: string) {
  const [found, setFound] = useState<Found>({ options: [], of: undefined })
  const wanted = text.trim()
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    const show = (options: readonly Option[]) => signal.aborted || setFound({ options, of: wanted })
    const search = async () => show(await find(wanted, signal))
    // What could not be asked for is not offered; a text can still be typed.
    const timer = setTimeout(() => void search().catch(() => show([])), wanted === '' ? 0 : PAUSE_MS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [find, wanted])
  return { options: found.options, isLoading: found.of !== wanted }
}
