const OFFICE = 'application/vnd.openxmlformats-officedocument'

export const DOCX = `${OFFICE}.wordprocessingml.document`
export const PPTX = `${OFFICE}.presentationml.presentation`
export const XLSX = `${OFFICE}.spreadsheetml.sheet`
export const OLD_OFFICE = ['application/msword', 'application/vnd.ms-powerpoint', 'application/vnd.ms-excel']
