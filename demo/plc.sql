-- Sample logs of the PLC directory, for doc/plc.md.

-- The lines of an account in an export. The second operation is nullified by the third.
CREATE TABLE example (line jsonb);
INSERT INTO example VALUES
  ('{"type": "sequenced_op", "seq": 101, "did": "did:plc:jnvwbwqtprjwcijcmzeqbcrx",
      "createdAt": "2026-03-01T10:00:00.000Z",
      "cid": "bafyreiclnnqnue34knqscitgjeaiun52m7cnzgonvj35zxsf5gntwrq6sa",
      "operation": {"type": "plc_operation", "prev": null, "alsoKnownAs": ["at://alice.test"],
      "rotationKeys": ["did:key:zQ3shYyMKNF5bvYHQ9T3PTQrZPdwicAXzDi6GpuomyKxKjaff",
      "did:key:zQ3shn8sQqvNV27dQ4WsScVEdKxRfzyGR66XCusuRQhfTZmbd"],
      "verificationMethods": {"atproto": "did:key:zQ3shRmGtAAdN8iVccSkcra78GfhXm4PEyPiJ2XJ8dUo9BASv"},
      "services": {"atproto_pds": {"type": "AtprotoPersonalDataServer", "endpoint": "https://pds.test"}},
      "sig": "S2pCvx0UdCySZNcmkLRx8sBKSrs5BgPnOGFA7ZwQTkAm9B1zZTkeqmwdt8jlDX_33pNqK-OcUGbtl4zui6Cn0g"}}'),
  ('{"type": "sequenced_op", "seq": 103, "did": "did:plc:jnvwbwqtprjwcijcmzeqbcrx",
      "createdAt": "2026-03-02T12:00:00.000Z",
      "cid": "bafyreic3kwu5sm227a5vtznglj3an5kfj5ywfls27hdoqgbj6rg4aovjkq",
      "operation": {"type": "plc_operation",
      "prev": "bafyreiclnnqnue34knqscitgjeaiun52m7cnzgonvj35zxsf5gntwrq6sa",
      "alsoKnownAs": ["at://stolen.test"],
      "rotationKeys": ["did:key:zQ3shMkbpF7Q1pWrwq3tgzmW5N93cNdsepfD6CoJDyUWTRJBx"],
      "verificationMethods": {"atproto": "did:key:zQ3shMkbpF7Q1pWrwq3tgzmW5N93cNdsepfD6CoJDyUWTRJBx"},
      "services": {"atproto_pds": {"type": "AtprotoPersonalDataServer", "endpoint": "https://thief.test"}},
      "sig": "uDOY513iQqQ8zYZgrY2iAFE9yEKlt3xe0cuDEa5UbfVdgMhkZHDrOFK1bwpS0fU8xFyZvDaN2ma3wq11VCT9Gg"}}'),
  ('{"type": "sequenced_op", "seq": 105, "did": "did:plc:jnvwbwqtprjwcijcmzeqbcrx",
      "createdAt": "2026-03-04T08:00:00.000Z",
      "cid": "bafyreifs57usi7y5c2sxae4suqoyon5wiburadgmhaf5gghkyjdqfcw7ty",
      "operation": {"type": "plc_operation",
      "prev": "bafyreiclnnqnue34knqscitgjeaiun52m7cnzgonvj35zxsf5gntwrq6sa",
      "alsoKnownAs": ["at://alice.test"],
      "rotationKeys": ["did:key:zQ3shYyMKNF5bvYHQ9T3PTQrZPdwicAXzDi6GpuomyKxKjaff"],
      "verificationMethods": {"atproto": "did:key:zQ3shRmGtAAdN8iVccSkcra78GfhXm4PEyPiJ2XJ8dUo9BASv"},
      "services": {"atproto_pds": {"type": "AtprotoPersonalDataServer", "endpoint": "https://pds.test"}},
      "sig": "4v1bau_bm404snjhCaLAHhWgcMJ0X9q7G65JwH9bZqA7OJhoPfLEY1uFQmgYk2pQ5orULHHbn8kFsNo0jFeqBA"}}');

-- The log of an account that takes a new key in June, and commits of it: after June by the old key and by the new one,
-- and one from before the log began.
CREATE TABLE chain_log AS
SELECT 'did:plc:xdgzhcq43k5skmn7v5lpgznh' AS did,
       jsonb_agg(jsonb_build_object('did', 'did:plc:xdgzhcq43k5skmn7v5lpgznh', 'cid', cid, 'createdAt', at,
                                    'nullified', false, 'operation', operation::jsonb) ORDER BY at) AS log
FROM (VALUES
  ('bafyreifyzwjyuhg2xmstdp5pk3zwljzgbjv4wm7ziphhoc7odhmddzglcu', '2024-01-01T00:00:00.000Z',
   '{"type": "plc_operation", "rotationKeys": ["did:key:zQ3shgDuJs5kFsStFwXYdBdkH2A435A7mNpREXPMGGihbp8Ks"],
     "verificationMethods": {"atproto": "did:key:zQ3shYPkmJS5rukapvY2R8n1bjpwEaUkr8G86q4fPqhg5rhWJ"},
     "alsoKnownAs": ["at://chain.example.com"], "services": {}, "prev": null,
     "sig": "fRJ3IOm-FfqLv_eshrT_VyuLdEDRNqHjIfhYvjBgN30C2oKiSYNqCuR_3bL_oGOBxvc_jhZTT5jv6blFc3zwEA"}'),
  ('bafyreiegxl67rnrp6rl44mzbkb5yby2jsk7a4sz6wyd2dallqflptvh7b4', '2024-06-01T00:00:00.000Z',
   '{"type": "plc_operation", "rotationKeys": ["did:key:zQ3shgDuJs5kFsStFwXYdBdkH2A435A7mNpREXPMGGihbp8Ks"],
     "verificationMethods": {"atproto": "did:key:zQ3shWuCY2RvYe244dodL3P4y1tHJCt95P3qxi2v2mNjNpRQN"},
     "alsoKnownAs": ["at://chain.example.com"], "services": {},
     "prev": "bafyreifyzwjyuhg2xmstdp5pk3zwljzgbjv4wm7ziphhoc7odhmddzglcu",
     "sig": "ZCZQfa0MjtnPWvDWVCaNIfkvwczKlJqZXhc7qjAs9G9lsy8iXgT0McFqxGibJY-biDvc6nmz37yRtjuc4uo36Q"}')
) AS v (cid, at, operation);

CREATE TABLE chain_commit (n int, block bytea);
INSERT INTO chain_commit VALUES
  (2, '\xa66364696478206469643a706c633a7864677a68637134336b35736b6d6e3776356c70677a6e68637265766d336b77366c356e79'
   '73323232326373696758408ace77b3511aa6c39bdbbc38ec3b503426a1dfc4316f3b2dc2a97f989cf774ff7d77ff684ac543a84c'
   '1691316d24e71f11e6d7f62efbc31684b4f0df16132cbc6464617461d82a5825000171122065062a5a5a00fc16d73c6944237ccb'
   'c15b1c4a7234489336891d091741a239d06470726576f66776657273696f6e03'),
  (3, '\xa66364696478206469643a706c633a7864677a68637134336b35736b6d6e3776356c70677a6e68637265766d336b77366c356e79'
   '7332323232637369675840bb68c6c6e7f45fb74727fefa929c7e61518edd99d35589fc0fd1b73ff7ddb34d116635f80c8921fc07'
   'da9398d242947ee2463c6986a8e7e6dc4f58d5668943d56464617461d82a5825000171122065062a5a5a00fc16d73c6944237ccb'
   'c15b1c4a7234489336891d091741a239d06470726576f66776657273696f6e03'),
  (4, '\xa66364696478206469643a706c633a7864677a68637134336b35736b6d6e3776356c70677a6e68637265766d336b687577366a6f'
   '366b323232637369675840c461cef8d31a31b4101154c46a2aa25198cc356ff6a53b97989ad0a00c0f73573eab9ad4c47b84eb33'
   'c611164c2f4e057f2940d0887c752d1a25eed3fddf0dd86464617461d82a5825000171122065062a5a5a00fc16d73c6944237ccb'
   'c15b1c4a7234489336891d091741a239d06470726576f66776657273696f6e03');
