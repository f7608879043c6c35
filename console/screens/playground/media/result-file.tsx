import { apiUrl } from '../../../api/api-url.ts'

type Props = { url: string; kind: 'image' | 'audio' | 'video' | 'file' }

/** A file that a model or a task has made: seen or heard here, and downloaded. */
export function ResultFile({ url, kind }: Props) {
  const shown = resultPath(url)
  return (
    <div class="player">
      {kind === 'image' && shown && <img src={shown} alt="What was made" />}
      {/* biome-ignore lint/a11y/useMediaCaption: what is said is in the form */}
      {kind === 'audio' && shown && <audio controls src={shown} />}
      {/* biome-ignore lint/a11y/useMediaCaption: what is shown is in the form */}
      {kind === 'video' && shown && <video controls src={shown} />}
      {shown ? (
        <a href={shown} download>
          Download
        </a>
      ) : (
        <a href={url} target="_blank" rel="noopener noreferrer">
          {url.split('?')[0]}
        </a>
      )}
    </div>
  )
}

/** The page may load files of its own listener only. Results of the gateway are there, too; undefined for other hosts. */
function resultPath(url: string): string | undefined {
  if (url.startsWith('data:') || url.startsWith('blob:')) return url
  const start = `${apiUrl()}/results/`
  return url.startsWith(start) ? `/results/${url.slice(start.length)}` : undefined
}
