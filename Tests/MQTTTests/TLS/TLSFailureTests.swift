import Testing

@testable import MQTT

struct TLSFailureTests {
  /// `reason` as versions 1.1.1 and 3 of OpenSSL number errors of TLS.
  private func failures(
    _ reason: UInt, verifyResult: Int = 0, _ context: TLSFailure.Context = .init()
  ) -> Set<TLSFailure> {
    Set(
      [0x1400_0000 | 0x12_3000 | reason, 20 << 23 | reason].map {
        TLSFailure(error: $0, verifyResult: verifyResult, context) { $0 ? "verify" : "reason" }
      })
  }

  @Test(
    "The result of the certificate check gives the cause",
    arguments: [
      (2, .unknownAuthority), (7, .unknownAuthority), (19, .unknownAuthority), (20, .unknownAuthority),
      (21, .unknownAuthority), (18, .selfSigned), (10, .expired), (9, .notYetValid), (0, .wrongHost),
      (1, .wrongHost), (62, .wrongHost), (64, .wrongHost),
      (23, .other("the certificate check failed: verify")),
    ] as [(Int, TLSFailure)])
  func verifyResults(_ result: Int, _ failure: TLSFailure) {
    #expect(failures(134, verifyResult: result) == [failure])
  }

  @Test("An alert means what this side brought along")
  func alerts() {
    let bare = TLSFailure.Context()
    let certified = TLSFailure.Context(hasCertificate: true)
    let asked = TLSFailure.Context(isCertificateRequested: true)
    let shared = TLSFailure.Context(hasPreSharedKey: true)
    let cases: [(UInt, TLSFailure.Context, TLSFailure)] = [
      (116, bare, .certificateRequired), (40, asked, .certificateRequired),
      (40, bare, .other("the broker ended the TLS handshake: reason")), (42, bare, .certificateRequired),
      (42, certified, .certificateRefused), (45, certified, .certificateRefused),
      (48, certified, .certificateRefused),
      (20, shared, .badPSK), (40, shared, .badPSK), (70, shared, .badPSK), (51, shared, .badPSK),
      (115, shared, .badPSK),
      (20, bare, .other("the broker ended the TLS handshake: reason")),
    ]
    for (alert, context, failure) in cases {
      #expect(failures(1_000 + alert, context) == [failure], "alert \(alert)")
    }
    for (alert, context) in [(UInt(70), bare), (120, bare), (120, shared)] {
      guard case .other = failures(1_000 + alert, context).first else {
        #expect(Bool(false), "alert \(alert)")
        continue
      }
    }
  }

  @Test("What is no TLS is told as such, what is unknown in the library's words")
  func others() {
    #expect(failures(267) == [.notTLS])
    #expect(failures(156) == [.notTLS])
    #expect(failures(200) == [.other("the TLS handshake failed: reason")])
  }

  @Test("Each cause is one line that names a mend")
  func descriptions() {
    let all: [TLSFailure] = [
      .unknownAuthority, .selfSigned, .expired, .notYetValid, .wrongHost, .certificateRequired,
      .certificateRefused,
      .badPSK, .notTLS, .expectsTLS,
    ]
    for failure in all {
      let text = "\(ConnectionError.tls(failure, broker: "h:1"))"
      #expect(text.hasPrefix("no connection to h:1: ") && text.contains(";") && !text.contains("\n"))
    }
  }
}
