import { DescribedFieldRow, labelOf } from '../../../parts/described-field.tsx'
import type { Who } from '../who/who-fields.tsx'
import { FileField } from './file-field.tsx'
import { isFile, type TaskDraft, type TaskField } from './task-input.ts'

type Props = {
  fields: readonly TaskField[]
  draft: TaskDraft
  set: (name: string, text: string) => void
  /** Whether files are recordings. */
  isRecorded: boolean
  who: Who
}

/** A form made from the fields that a task says it has. Without a value, the task decides. */
export function TaskFields({ fields, draft, set, isRecorded, who }: Props) {
  return (
    <div class="form-grid">
      {fields.map((field) => {
        const { name, required: isRequired } = field
        const common = { value: draft[name] ?? '', set: (text: string) => set(name, text) }
        return (
          <DescribedFieldRow key={name} field={field} none="task default" {...common}>
            {isFile(field) && <FileField label={labelOf(name)} {...{ isRequired, isRecorded, who }} {...common} />}
          </DescribedFieldRow>
        )
      })}
    </div>
  )
}
