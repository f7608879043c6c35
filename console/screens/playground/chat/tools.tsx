import { useRef, useState } from 'preact/hooks'
import { Dialog } from '../../../parts/dialog.tsx'
import { AreaField, TextField } from '../../../parts/fields.tsx'
import { draftOf, NEW_TOOL, type Tool, type ToolDraft, toolOf } from './tool-draft.ts'

type Props = { tools: readonly Tool[]; set: (tools: readonly Tool[]) => void }

/** Functions that models may call. What they answer, the person says. */
export function Tools({ tools, set }: Props) {
  const adding = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState<number>()
  return (
    <fieldset class="tools">
      <legend>Tools</legend>
      <ul>
        {tools.map(({ name, description }, at) => (
          <li key={name}>
            <button type="button" class="link" onClick={() => setOpen(at)}>
              <span class="sr-only">Change the tool </span>
              {name}
            </button>
            <small>{description}</small>
            <button
              type="button"
              class="quiet"
              aria-label={`Remove the tool ${name}`}
              onClick={() => {
                set(tools.toSpliced(at, 1))
                adding.current?.focus()
              }}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      <button ref={adding} type="button" onClick={() => setOpen(tools.length)}>
        + Add a tool
      </button>
      {open !== undefined && (
        <ToolForm
          of={tools[open]}
          others={tools.toSpliced(open, 1)}
          onClose={() => setOpen(undefined)}
          onSave={(tool) => {
            set(tools.toSpliced(open, 1, tool))
            setOpen(undefined)
          }}
        />
      )}
    </fieldset>
  )
}

type FormProps = {
  of: Tool | undefined
  others: readonly Tool[]
  onSave: (tool: Tool) => void
  onClose: () => void
}

function ToolForm({ of: tool, others, onSave, onClose }: FormProps) {
  const [draft, setDraft] = useState<ToolDraft>(tool ? draftOf(tool) : NEW_TOOL)
  const set = (changes: Partial<ToolDraft>) => setDraft((before) => ({ ...before, ...changes }))
  const checked = toolOf(draft, others)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(checked instanceof Error)) onSave(checked)
  }
  return (
    <Dialog title={tool ? `Tool ${tool.name}` : 'Add a tool'} onClose={onClose}>
      <form class="stack tool-form" onSubmit={submit}>
        <TextField
          label="Name"
          isRequired
          value={draft.name}
          placeholder="get_weather"
          maxLength={64}
          set={(name) => set({ name })}
        />
        <AreaField
          label="Description, by which models decide when to call it"
          rows={2}
          value={draft.description}
          placeholder="The weather of a city now"
          set={(description) => set({ description })}
        />
        <AreaField
          label="Parameters, as JSON schema"
          rows={10}
          value={draft.parameters}
          set={(parameters) => set({ parameters })}
        />
        <p class={checked instanceof Error && draft.name !== '' ? 'status bad' : 'faint'} role="status">
          {checked instanceof Error ? checked.message : 'The schema is valid.'}
        </p>
        <button type="submit" class="primary" disabled={checked instanceof Error}>
          {tool ? 'Save' : 'Add'}
        </button>
      </form>
    </Dialog>
  )
}
