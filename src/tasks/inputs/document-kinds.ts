const OFFICE = 'application/vnd.openxmlformats-officedocument'

export const DOCX = `${OFFICE}.wordprocessingml.document`
export const PPTX = `${OFFICE}.presentationml.presentation`
export const XLSX = `${OFFICE}.spreadsheetml.sheet`
export const OLD_OFFICE = ['application/msword', 'application/vnd.ms-powerpoint', 'application/vnd.ms-excel']

/** Papers as scanners and cameras give them. */
export const SCANS = [
  'application/pdf',
  ...['image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/heic', 'image/heif', 'image/gif', 'image/bmp'],
]

/** Sounds, and films in the boxes that sound is put in as well. */
export const AUDIO_TYPES = ['audio/*', 'video/mp4', 'video/webm', 'application/ogg']

/** What somebody speaks in; of a film, its sound is taken. */
export const RECORDINGS = ['audio/*', 'video/*', 'application/ogg']
