import { useEffect, useState } from 'preact/hooks'

/** An image or a sound is shown, everything can be saved. The address ends with the answer. */
export function AnswerFile({ blob, title = 'answer' }: { blob: Blob; title?: string }) {
  const url = useBlobUrl(blob)
  if (url === undefined) return null
  const [kind, ending] = blob.type.split(/[/;]/)
  return (
    <div class="tried-file">
      {kind === 'image' && <img src={url} alt={`The ${title}`} />}
      {kind === 'audio' && (
        // biome-ignore lint/a11y/useMediaCaption: there are no captions for what a model has just said
        <audio controls src={url} aria-label={`The ${title}`} />
      )}
      <a class="button" href={url} download={`${title}.${/^[\w-]+$/.test(ending ?? '') ? ending : 'bin'}`}>
        Save ({blob.type || 'unknown type'}, {blob.size} bytes)
      </a>
    </div>
  )
}

function useBlobUrl(blob: Blob): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url
}
