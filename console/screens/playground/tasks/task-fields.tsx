import { AreaField, SelectField, TextField } from '../../../parts/fields.tsx'
import { FileField } from './file-field.tsx'
import { isFile, isLines, type TaskDraft, type TaskField } from './task-input.ts'
import type { Who } from '../who/who-fields.tsx'

type Props = {
  fields: readonly TaskField[]
  draft: TaskDraft
  set: (name: string, text: string) => void
  /** Whether files are recordings. */
  isRecorded: boolean
  who: Who
}

/** A form made from the fields that a task says it has. */
export function TaskFields({ fields, draft, set, isRecorded, who }: Props) {
  return (
    <div class="form-grid">
      {fields.map((field) => (
        <div key={field.name} class="task-field">
          <OneField
            field={field}
            value={draft[field.name] ?? ''}
            set={(text) => set(field.name, text)}
            isRecorded={isRecorded}
            who={who}
          />
          <small>
            <Marked text={hintOf(field)} />
          </small>
        </div>
      ))}
    </div>
  )
}

type FieldProps = Pick<Props, 'isRecorded' | 'who'> & { field: TaskField; value: string; set: (text: string) => void }

function OneField({ field, value, set, isRecorded, who }: FieldProps) {
  const { name, type, required } = field
  const common = { label: labelOf(name), value, set, isRequired: required }
  if (isFile(field)) return <FileField {...common} isRecorded={isRecorded} who={who} />
  if (type === 'bool') return <SelectField {...common} choices={choicesOf(['true', 'false'], required)} />
  if (field.enum) return <SelectField {...common} choices={choicesOf(field.enum, required)} />
  if (type === 'int' || type === 'float') return <TextField {...common} type="number" />
  const isLong = required || isLines(field) || ['array', 'object', 'dict', 'any'].includes(type)
  return isLong ? <AreaField {...common} rows={3} /> : <TextField {...common} />
}

/** Without a value, the task decides. */
function choicesOf(values: readonly string[], isRequired: boolean): Record<string, string> {
  const none = isRequired ? [] : [['', 'task default']]
  return Object.fromEntries([...none, ...values.map((value) => [value, value])])
}

function labelOf(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Descriptions have names between back quotes. */
function Marked({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
}

function hintOf(field: TaskField): string {
  const how = isLines(field) ? ' One per line.' : ['array', 'object', 'dict'].includes(field.type) ? ' As JSON.' : ''
  return `${field.description}${how}`
}
