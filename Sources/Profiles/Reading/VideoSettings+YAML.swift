internal import Media

extension VideoSettings {
    init(_ value: ProfileValue) throws(ProfileError) {
        let fields = try value.fields(["codec", "preset", "quality", "encoder"])
        let usual = VideoSettings()
        self.init(
            codec: fields.read("codec", else: usual.codec) { value throws(ProfileError) in
                try value.choice()
            },
            preset: fields.read("preset", else: usual.preset) { value throws(ProfileError) in
                try value.choice()
            },
            quality: fields.read("quality", else: usual.quality) { value throws(ProfileError) in
                try value.integer(in: 0...51, expected: "a whole number from 0 (best) to 51 (smallest)")
            },
            encoder: fields.read("encoder", else: usual.encoder) { value throws(ProfileError) in
                try value.choice()
            })
    }
}
