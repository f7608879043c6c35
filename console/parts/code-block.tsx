import { useState } from 'preact/hooks'
import { Icon } from './icons/icon.tsx'
import { toast } from './toast.tsx'

/** A command or a text to paste, with a button that copies it. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls has to be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset holds fields */}
      <pre tabIndex={0} role="group" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} what={label} />
    </div>
  )
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => toast('The browser did not allow copying. Select the text and copy it by hand.', 'bad'),
    )
  }
  return (
    <button type="button" class="small" onClick={copy} aria-label={`${isCopied ? 'Copied' : 'Copy'} ${what}`}>
      <Icon name={isCopied ? 'done' : 'copy'} /> {isCopied ? 'Copied' : 'Copy'}
    </button>
  )
}
