import type { ComponentChildren } from 'preact'
import { type DescribedField, isJson, isLines } from './described-input.ts'
import { AreaField, SelectField, TextField } from './fields.tsx'

type Props = {
  field: DescribedField
  value: string
  set: (text: string) => void
  /** What a choice is called that leaves the field out. */
  none: string
  /** In place of the usual control. */
  children?: ComponentChildren
}

/** One field of a form that is made from a schema, with what the schema says about it. */
export function DescribedFieldRow({ children, ...props }: Props) {
  return (
    <div class="task-field">
      {children || <Control {...props} />}
      <small>
        <Marked text={hintOf(props.field)} />
      </small>
    </div>
  )
}

function Control({ field, value, set, none }: Props) {
  const { name, type, required } = field
  const common = { label: labelOf(name), value, set, isRequired: required }
  const values = type === 'bool' ? ['true', 'false'] : field.enum
  if (values) return <SelectField {...common} choices={choicesOf(values, required ? undefined : none)} />
  if (type === 'int' || type === 'float')
    return <TextField {...common} type="number" {...(field.usual && { placeholder: field.usual })} />
  const isLong = isLines(field) || isJson(field) || (type === 'string' && (field.isLong ?? required))
  if (isLong) return <AreaField {...common} rows={3} />
  return <TextField {...common} {...(field.usual && { placeholder: field.usual })} />
}

function choicesOf(values: readonly string[], none: string | undefined): Record<string, string> {
  return Object.fromEntries([...(none === undefined ? [] : [['', none]]), ...values.map((value) => [value, value])])
}

export function labelOf(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Descriptions have names between back quotes. */
export function Marked({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
}

function hintOf(field: DescribedField): string {
  const known = field.items?.enum ? `: ${field.items.enum.join(', ')}` : ''
  const how = isLines(field) ? ` One per line${known}.` : isJson(field) && field.type !== 'any' ? ' As JSON.' : ''
  return `${field.description}${how}`
}
