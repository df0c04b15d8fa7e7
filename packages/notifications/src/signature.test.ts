import { describe, expect, it } from '@jest/globals';
import { parseSecrets, signatureOf } from './signature.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const signed = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
};

describe('a signature', () => {
  it('is that of the Standard Webhooks specification', () => {
    expect(signatureOf(parseSecrets(secret), signed)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('is given once for each secret, the newest first', () => {
    const old = 'an old secret of more than 24 bytes';
    const both = signatureOf(parseSecrets(`${secret}\n\n ${old}\r\n`), signed).split(' ');
    expect(both).toEqual([
      signatureOf(parseSecrets(secret), signed),
      signatureOf(parseSecrets(old), signed),
    ]);
  });

  it('differs with each of id, time and body', () => {
    const secrets = parseSecrets(secret);
    const all = [
      signed,
      { ...signed, id: 'msg_2' },
      { ...signed, timestamp: 1 },
      { ...signed, body: '{}' },
    ].map((each) => signatureOf(secrets, each));
    expect(new Set(all).size).toBe(4);
  });
});

describe('secrets', () => {
  it.each([
    ['', 'no secret'],
    [' \n \n', 'no secret'],
    ['too-short', 'line 1 has less than 24 bytes'],
    [`${secret}\nwhsec_not*base64`, 'line 2 is not base64'],
    ['whsec_c2hvcnQ=', 'less than 24 bytes'],
  ])('%j is refused, and not repeated', (text, why) => {
    const refused = (): unknown => parseSecrets(text);
    expect(refused).toThrow(why);
    const said = (() => {
      try {
        return String(refused());
      } catch (error) {
        return String(error);
      }
    })();
    expect(said).not.toMatch(/too-short|not\*base64|c2hvcnQ/);
  });
});
