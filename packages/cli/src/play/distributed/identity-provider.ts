// The identity provider of a play: every run is a tenant of its own, and its caller proves that by a token, as
// agents of a platform do.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { type Env } from './member.ts';

export interface IdentityProvider {
  /** By which a gateway knows it. */
  readonly settings: Env;
  readonly tokenOf: (tenant: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

const audience = 'action-ledger';
const alg = 'ES256';

export async function openIdentityProvider(): Promise<IdentityProvider> {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const published = JSON.stringify({
    keys: [{ ...(await exportJWK(publicKey)), kid: 'play', alg, use: 'sig' }],
  });
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(published);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: {
      ACTION_LEDGER_TOKEN_ISSUER: issuer,
      ACTION_LEDGER_TOKEN_AUDIENCE: audience,
      ACTION_LEDGER_TOKEN_KEYS_URL: `${issuer}/keys`,
    },
    tokenOf: (tenant) =>
      new SignJWT({ tenant, roles: ['proposer'] })
        .setProtectedHeader({ alg, kid: 'play' })
        .setSubject('play')
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('12h')
        .sign(privateKey),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
