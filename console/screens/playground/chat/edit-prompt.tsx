import { useEffect, useRef, useState } from 'preact/hooks'
import { isEmptyPrompt, type Prompt } from './chat-body.ts'

type Props = { of: Prompt; onSend: (prompt: Prompt) => void; onCancel: () => void }

/** Another text for a message that was sent. What came after it is dropped. Its images stay. */
export function EditPrompt({ of: prompt, onSend, onCancel }: Props) {
  const [text, setText] = useState(prompt.text)
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [])
  const changed = { ...prompt, text }
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isEmptyPrompt(changed)) onSend(changed)
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onCancel()
    else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event)
  }
  return (
    <form class="prompt editing" onSubmit={submit}>
      <textarea
        ref={area}
        aria-label="Edit the message"
        rows={3}
        value={text}
        onKeyDown={pressed}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="row">
        <button type="submit" class="primary small" disabled={isEmptyPrompt(changed)}>
          Send edited message
        </button>
        <button type="button" class="small" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
