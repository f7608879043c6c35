const OFFICE = 'application/vnd.openxmlformats-officedocument'

export const DOCX = `${OFFICE}.wordprocessingml.document`
export const PPTX = `${OFFICE}.presentationml.presentation`
export const XLSX = `${OFFICE}.spreadsheetml.sheet`
export const OLD_OFFICE = ['application/msword', 'application/vnd.ms-powerpoint', 'application/vnd.ms-excel']

/** Documents from scanners and cameras. */
export const SCANS = [
  'application/pdf',
  ...['image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/heic', 'image/heif', 'image/gif', 'image/bmp'],
]

/** Audio, and video containers that are also used for audio. */
export const AUDIO_TYPES = ['audio/*', 'video/mp4', 'video/webm', 'application/ogg']

/** Files with speech; of a video, the audio track is used. */
export const RECORDINGS = ['audio/*', 'video/*', 'application/ogg']
