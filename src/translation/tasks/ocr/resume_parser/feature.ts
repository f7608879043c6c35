import { withBlanks } from '../../fields/blanks.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { Resume } from '../../fields/resume.ts'

const output = closedObject({ extracted_data: Resume })

export default feature({
  feature: 'ocr',
  subfeature: 'resume_parser',
  fullname: 'OCR: Resume parser',
  description: 'Reads a curriculum vitae and gives the person, education, work and skills.',
  mode: 'sync',
  input: closedObject({ file: fileInput('The curriculum vitae, as a PDF, a text document or an image.') }),
  output,
  example: {
    input: { file: 'https://example.com/resume.pdf' },
    output: withBlanks(output, {
      extracted_data: {
        personal_infos: {
          name: { first_name: 'Ada', last_name: 'Byron', raw_name: 'Ada Byron' },
          address: { formatted_location: 'London, United Kingdom', city: 'London', country_code: 'GB' },
          phones: ['+44 20 7946 0000'],
          mails: ['ada@mail.example'],
          current_profession: 'Software engineer',
        },
        education: {
          total_years_education: 4,
          entries: [
            { title: 'BSc Mathematics', start_date: '2012', end_date: '2016', establishment: 'City University' },
          ],
        },
        work_experience: {
          total_years_experience: '8',
          entries: [
            {
              title: 'Software engineer',
              start_date: '2016-09',
              company: 'Analytical Engines',
              location: { city: 'London', country: 'United Kingdom' },
              description: 'Wrote programs for looms.',
            },
          ],
        },
        languages: [{ name: 'English', code: 'en' }, { name: 'French' }],
        skills: [{ name: 'TypeScript', type: 'technical' }, { name: 'Writing' }],
        interests: [{ name: 'Music' }],
      },
    }),
  },
  refusesBlank: true,
  unit: 'file',
})
