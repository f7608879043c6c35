import { useRef, useState } from 'preact/hooks'
import { Failure } from '../../../parts/notice.tsx'
import { RunButton } from '../run/run-button.tsx'
import { AttachedImages, type Attachments } from './attached-images.tsx'
import { isEmptyPrompt, type Prompt } from './chat-body.ts'

type Props = {
  attachments: Attachments
  isRunning: boolean
  isReady: boolean
  onSend: (prompt: Prompt) => void
  onStop: () => void
}

/** The next message. Enter sends it, Shift and Enter begin another line, Escape stops the answers. */
export function Composer({ attachments, isRunning, isReady, onSend, onStop }: Props) {
  const [text, setText] = useState('')
  const area = useRef<HTMLTextAreaElement>(null)
  const prompt = { text, images: attachments.images }
  const isSendable = isReady && !isEmptyPrompt(prompt)
  const submit = (event: Event) => {
    event.preventDefault()
    area.current?.focus()
    if (isRunning || !isSendable) return
    onSend(prompt)
    setText('')
    attachments.clear()
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event)
    else if (event.key === 'Escape' && isRunning) onStop()
  }
  return (
    <form class="composer" onSubmit={submit}>
      <AttachedImages of={attachments} />
      <textarea
        ref={area}
        aria-label="Message"
        placeholder="Message. Enter sends, Shift+Enter starts a new line."
        rows={2}
        value={text}
        onKeyDown={pressed}
        onPaste={attachments.paste}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="row">
        <label class="button file-button">
          <input type="file" accept="image/*" multiple onChange={attachments.choose} />
          Attach images
        </label>
        <RunButton
          label="Send"
          isRunning={isRunning}
          isReady={isSendable}
          onStop={() => {
            onStop()
            area.current?.focus()
          }}
        />
      </div>
      <Failure error={attachments.error} />
    </form>
  )
}
