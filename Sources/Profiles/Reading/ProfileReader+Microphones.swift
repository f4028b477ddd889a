internal import Media
internal import YAML

extension ProfileReader {
    func microphones(
        _ value: ProfileValue, cameras: [CameraRole]
    ) throws(ProfileError) -> [MicrophoneRole] {
        var roles: [MicrophoneRole] = []
        for entry in try value.entries(
            expected: "one field a microphone, for example host: { device: default }")
        {
            value.problems.collecting { () throws(ProfileError) in
                try checkRole(entry, taken: cameras.map(\.role) + roles.map(\.role))
            }
            let role = value.problems.collecting { () throws(ProfileError) in
                try microphone(entry, cameras: cameras.map(\.role))
            }
            roles.append(role ?? MicrophoneRole(role: entry.name))
        }
        return roles
    }

    private func microphone(
        _ entry: ProfileEntry, cameras: [String]
    ) throws(ProfileError) -> MicrophoneRole {
        let names = ["device", "url_from", "channels", "gain", "offset", "pick", "voice", "camera"]
        for field in try entry.value.entries(expected: "the fields \(ProfileValue.list(names))")
        where Self.cameraFields.contains(field.name) && !names.contains(field.name) {
            throw field.value.error(
                at: field.position, found: "a field that only cameras have",
                expected: "\(ProfileValue.list(names)) on a microphone")
        }
        let fields = try entry.value.fields(names)
        var microphone = MicrophoneRole(role: entry.name)
        microphone.device = fields.read("device", else: microphone.device) { value throws(ProfileError) in
            try device(value, example: "default or pulse:alsa_input.usb-1")
        }
        if let address = try address(fields, of: entry) {
            (microphone.address, microphone.device) = (address, SecretSource.selector)
        }
        microphone.pick = fields.read("pick") { value throws(ProfileError) in try pick(value) }
        microphone.channels = fields.read("channels", else: microphone.pick?.count ?? 1) {
            value throws(ProfileError) in
            let channels = try value.integer(in: 1...8, expected: "1 to 8")
            if let pick = microphone.pick, pick.count != channels {
                throw value.error(expected: "\(pick.count), as many as pick names")
            }
            return channels
        }
        microphone.gainDecibels = fields.read("gain", else: 0) { value throws(ProfileError) in
            try value.decimal(in: -60...30, expected: "a number of decibels from -60 to 30")
        }
        microphone.offset = fields.read("offset") { value throws(ProfileError) in
            try value.duration(in: .seconds(-5) ... .seconds(5), example: "-20ms")
        }
        microphone.voice = fields.read("voice", else: microphone.voice) { value throws(ProfileError) in
            try voice(value)
        }
        microphone.camera = fields.read("camera") { value throws(ProfileError) in
            guard let role = value.plainText, cameras.contains(role) else {
                throw value.error(
                    expected: cameras.isEmpty
                        ? "no camera, since the profile has none"
                        : "the role of the camera that shows who speaks: "
                            + ProfileValue.list(cameras, nearestTo: value.plainText))
            }
            return role
        }
        return microphone
    }

    private func voice(_ value: ProfileValue) throws(ProfileError) -> VoiceSettings {
        guard case .mapping = value.node.content else {
            throw value.error(expected: "what the program is to be spared: { echo: true, noise: true }")
        }
        let fields = try value.fields(["echo", "noise"])
        return VoiceSettings(
            echo: fields.read("echo", else: false) { value throws(ProfileError) in try value.truth() },
            noise: fields.read("noise", else: false) { value throws(ProfileError) in try value.truth() })
    }

    private func pick(_ value: ProfileValue) throws(ProfileError) -> [Int] {
        let expected = "one or two different channels of the device from 1 to 8, for example [1]"
        var channels: [Int] = []
        for item in try value.items(expected: expected) {
            channels.append(try item.integer(in: 1...8, expected: expected))
        }
        guard (1...2).contains(channels.count), Set(channels).count == channels.count else {
            throw value.error(found: channels.isEmpty ? "an empty list" : "\(channels)", expected: expected)
        }
        return channels
    }
}
