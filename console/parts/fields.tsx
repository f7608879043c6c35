type Common = { label: string; isRequired?: boolean }
type Typed = { currentTarget: HTMLInputElement | HTMLTextAreaElement }

type TextProps = Common & {
  value: string
  set: (text: string) => void
  type?: 'text' | 'number' | 'email' | 'password'
  placeholder?: string
  maxLength?: number
  /** Of a password or the like: what the browser may fill in. */
  autoComplete?: 'off' | 'new-password' | 'current-password'
}

/** A text with its label. What is wrong with it, the API says. */
export function TextField({ label, value, set, isRequired = false, type = 'text', ...more }: TextProps) {
  const typed = (event: Typed) => set(event.currentTarget.value)
  const kind = { type, step: type === 'number' ? 'any' : undefined } as { type: 'text' }
  return (
    <label>
      {label}
      <input {...kind} {...more} value={value} required={isRequired} onInput={typed} />
    </label>
  )
}

type AreaProps = Omit<TextProps, 'type' | 'autoComplete'> & { rows: number }

/** A text of several lines. */
export function AreaField({ label, value, set, isRequired = false, ...more }: AreaProps) {
  const typed = (event: Typed) => set(event.currentTarget.value)
  return (
    <label>
      {label}
      <textarea {...more} value={value} required={isRequired} onInput={typed} />
    </label>
  )
}

type SelectProps<Value extends string> = Common & {
  value: Value
  set: (value: Value) => void
  choices: Readonly<Partial<Record<Value, string>>>
}

export function SelectField<Value extends string>(props: SelectProps<Value>) {
  const { label, value, set, choices, isRequired = false } = props
  return (
    <label>
      {label}
      <select value={value} required={isRequired} onChange={(event) => set(event.currentTarget.value as Value)}>
        {Object.entries(choices).map(([one, title]) => (
          <option key={one} value={one}>
            {title as string}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The parts of a text that are separated by spaces, commas or new lines. */
export function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}
