type Props<Value extends string> = {
  legend: string
  choices: Readonly<Record<Value, string>>
  chosen: readonly Value[]
  set: (chosen: readonly Value[]) => void
}

/** Several of a few things. */
export function ChecksField<Value extends string>({ legend, choices, chosen, set }: Props<Value>) {
  const toggle = (one: Value) => set(chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one])
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {(Object.entries(choices) as [Value, string][]).map(([one, title]) => (
        <label key={one} class="check">
          <input type="checkbox" checked={chosen.includes(one)} onChange={() => toggle(one)} />
          {title}
        </label>
      ))}
    </fieldset>
  )
}
