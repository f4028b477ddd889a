internal import Media

extension ChoiceSettings {
    init(_ value: ProfileValue) throws(ProfileError) {
        let fields = try value.fields(["policy", "prefer"])
        let usual = ChoiceSettings()
        self.init(
            policy: fields.read("policy", else: usual.policy) { value throws(ProfileError) in
                try value.choice()
            },
            prefer: fields.read("prefer") { value throws(ProfileError) in
                let expected = "front, back, or what names one camera, for example serial:0123"
                let selector = try value.text(limit: 4096, expected: expected)
                switch selector {
                case "front", "back": return "position:\(selector)"
                case "any", "remembered": throw value.error(expected: expected)
                case _ where selector.hasPrefix("virtual:") || selector.hasPrefix("file:"):
                    throw value.error(
                        expected: "\(expected); synthetic cameras and files are named in `device`")
                default: return selector
                }
            })
    }
}
