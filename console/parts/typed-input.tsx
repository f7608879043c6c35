import { useEffect, useState } from 'preact/hooks'

type Props = {
  id: string
  /** What holds now. */
  value: string
  isNumber?: boolean | undefined
  placeholder?: string | undefined
  /** Called when the typing is finished: with Enter, or by leaving the field. */
  onSettle: (text: string) => void
}

/** A field that keeps what is being typed while the screen around it changes. */
export function TypedInput({ id, value, isNumber, placeholder, onSettle }: Props) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const shared = {
    id,
    value: text,
    placeholder,
    onInput: (event: { currentTarget: HTMLInputElement }) => setText(event.currentTarget.value),
    onChange: (event: { currentTarget: HTMLInputElement }) => onSettle(event.currentTarget.value.trim()),
  }
  return isNumber ? <input type="number" min={0} step="any" {...shared} /> : <input type="search" {...shared} />
}
