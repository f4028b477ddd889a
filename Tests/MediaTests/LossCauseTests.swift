import MulticamMedia
import Testing

@Suite("Loss causes")
struct LossCauseTests {
    @Test("every cause has texts for every kind of device, without words that do not apply to it")
    func table() {
        let plugged = ["USB", "cable", "port", "unplug", "plug "]
        let forbidden: [SourceKind: [String]] = [
            .file: plugged + ["light", "exposure", "network", "phone", "driver", "Ethernet"],
            .network: plugged + ["exposure_dynamic_framerate", "driver", "phone"],
            .phone: plugged + ["exposure_dynamic_framerate", "driver", "Ethernet"],
            .screen: plugged + ["light", "exposure", "driver", "network", "phone"],
            .virtual: plugged + ["light", "exposure", "network", "phone"],
            .application: plugged + ["light", "exposure", "driver", "phone"],
            .microphone: ["light", "exposure", "frames", "phone's"],
            .external: ["phone", "file"], .builtIn: ["cable", "port", "phone", "file"],
        ]
        for kind in [nil] + SourceKind.allCases.map(Optional.some) {
            for cause in LossCause.allCases {
                // Microphones have no exposure, and the governor doesn't drop audio.
                if kind == .microphone, [.lowLight, .governor].contains(cause) { continue }
                let explanation = cause.explanation(of: LossExplanation.Subject(kind: kind))
                // A synthetic device simulates the faults of a real one. Only the remedy mentions that the device is
                // synthetic.
                for clause in [kind == .virtual ? explanation.remedy : explanation.cause, explanation.remedy]
                {
                    #expect(!clause.isEmpty && !clause.hasSuffix(".") && clause.first?.isLowercase == true)
                    for word in kind.flatMap({ forbidden[$0] }) ?? [] where clause.contains(word) {
                        Issue.record("\(cause) of \(kind?.rawValue ?? "any"): “\(word)” in “\(clause)”")
                    }
                }
            }
        }
    }

    @Test(
        "a faster preset is suggested only if it can be set and isn't set yet",
        arguments: [
            (true, "superfast", "`program: { video: { preset: ultrafast } }`"),
            (false, "superfast", "`tracks: { video: { preset: ultrafast } }`"), (true, "ultrafast", nil),
            (false, nil, nil),
        ] as [(Bool, String?, String?)])
    func preset(isProgram: Bool, preset: String?, advice: String?) {
        for cause in [LossCause.encoder, .governor] {
            let subject = LossExplanation.Subject(isProgram: isProgram, preset: preset)
            let remedy = cause.explanation(of: subject).remedy
            #expect(remedy.contains("ultrafast") == (advice != nil))
            if let advice { #expect(remedy.contains(advice)) }
        }
    }

    @Test("the documented meaning of every cause is a sentence, and its usual remedy fits its usual device")
    func meanings() {
        for cause in LossCause.allCases {
            #expect(cause.meaning.hasSuffix(".") && cause.meaning.first?.isUppercase == true, "\(cause)")
            #expect(!cause.typicalExplanation.remedy.contains("selector"), "\(cause)")
        }
    }
}
